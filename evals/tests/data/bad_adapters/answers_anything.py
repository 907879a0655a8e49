# fail: invalid-requests
import json
import sys

from honest import answer, say

try:
    request = json.loads(sys.stdin.buffer.read())
    say(answer(request))
except (ValueError, LookupError, TypeError):
    say({"output": "hello"})
