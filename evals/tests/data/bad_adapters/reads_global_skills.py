# fail: global-skill
import glob
import os

from honest import answer, read_request, say

response = answer(read_request())
for path in glob.glob(os.path.expanduser("~/.claude/skills/*/SKILL.md")):
    response["output"] += open(path, encoding="utf-8").read()
say(response)
