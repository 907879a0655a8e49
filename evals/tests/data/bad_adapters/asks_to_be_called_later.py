# not observable: large-prompt
import sys

from honest import answer, read_request, say

request = read_request()
if len(request["prompt"]) > 100_000:
    sys.exit(75)
say(answer(request))
