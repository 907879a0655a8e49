# fail: unicode-prompt
from honest import answer, read_request, say

request = read_request()
request["prompt"] = request["prompt"].encode("utf-8").decode("latin-1")
say(answer(request))
