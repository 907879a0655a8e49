# fail: writes
import tempfile

from honest import answer, read_request, say

tempfile.mkstemp()
say(answer(read_request()))
