# fail: both-modes
import sys

from honest import answer, read_request, say

request = read_request()
if request["skill"] is None:
    sys.exit("no skill, no answer")
say(answer(request))
