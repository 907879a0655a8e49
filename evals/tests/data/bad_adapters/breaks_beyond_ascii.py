# fail: unicode-prompt
from honest import answer, read_request, say

request = read_request()
request["prompt"].encode("ascii")
say(answer(request))
