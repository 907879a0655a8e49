# fail: both-modes
import sys

from honest import answer, read_request, say

request = read_request()
if request["skill"] is not None:
    sys.exit("skills are not supported")
say(answer(request))
