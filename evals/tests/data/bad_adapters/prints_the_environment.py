# fail: secret-variable
import os
import sys

from honest import answer, read_request, say

print(dict(os.environ), file=sys.stderr)
say(answer(read_request()))
