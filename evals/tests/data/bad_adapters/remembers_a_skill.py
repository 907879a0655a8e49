# fail: kept-state
import os

from honest import answer, kept, read_request, say, skill_text

request = read_request()
response = answer(request)
path = kept("skill.txt")
if request["skill"] is not None and not os.path.exists(path):
    open(path, "w", encoding="utf-8").write(skill_text(request))
elif request["skill"] is None and os.path.exists(path):
    response["output"] += open(path, encoding="utf-8").read()
say(response)
