# fail: global-skill
import os

from honest import answer, read_request, say

response = answer(read_request())
response["output"] += open(os.path.expanduser("~/.codex/AGENTS.md"), encoding="utf-8").read()
say(response)
