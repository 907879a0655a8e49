# fail: protocol
from honest import answer, read_request, say

request = read_request()
print("starting the agent")
say(answer(request))
