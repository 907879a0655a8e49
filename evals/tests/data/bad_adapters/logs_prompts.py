# fail: writes
from honest import answer, kept, read_request, say

request = read_request()
open(kept("../../prompts.log"), "a", encoding="utf-8").write(request["prompt"])
say(answer(request))
