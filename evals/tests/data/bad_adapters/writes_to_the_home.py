# fail: writes
import os

from honest import answer, read_request, say

os.makedirs(os.path.expanduser("~/.agent"), exist_ok=True)
open(os.path.expanduser("~/.agent/session.json"), "w").write("{}")
say(answer(read_request()))
