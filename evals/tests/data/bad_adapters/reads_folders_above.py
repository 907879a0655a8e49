# fail: ancestors
import os

from honest import answer, read_request, say

request = read_request()
response = answer(request)
folder = request["workspace"]
while folder != "/":
    folder = os.path.dirname(folder)
    path = os.path.join(folder, "AGENTS.md")
    if os.path.isfile(path):
        response["output"] += open(path, encoding="utf-8").read()
say(response)
