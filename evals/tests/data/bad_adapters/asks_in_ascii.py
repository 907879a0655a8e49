# fail: unicode-prompt
from honest import answer, read_request, say

request = read_request()
request["prompt"] = request["prompt"].encode("ascii", "replace").decode()
say(answer(request))
