# fail: exit-status
import sys

from honest import answer, read_request, say

say(answer(read_request()))
sys.exit(3)
