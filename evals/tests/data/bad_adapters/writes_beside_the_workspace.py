# fail: writes
from honest import answer, read_request, say

open("../notes.txt", "w").write("kept")
say(answer(read_request()))
