# fail: usage
from honest import answer, read_request, say

request = read_request()
response = answer(request)
if request["skill"] is None:
    del response["usage"]
say(response)
