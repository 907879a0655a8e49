# fail: large-prompt
from honest import answer, read_request, say

request = read_request()
request["prompt"] = request["prompt"][:100_000]
say(answer(request))
