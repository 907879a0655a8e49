# fail: standard-error
import sys

from honest import answer, read_request, say

sys.stderr.write("debug\n" * 50_000)
say(answer(read_request()))
