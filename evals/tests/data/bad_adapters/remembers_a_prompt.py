# fail: kept-state
import os

from honest import answer, kept, read_request, say

request = read_request()
response = answer(request)
path = kept("memory.txt")
if not os.path.exists(path):
    open(path, "w", encoding="utf-8").write(request["prompt"])
else:
    response["output"] += open(path, encoding="utf-8").read()
say(response)
