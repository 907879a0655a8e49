# fail: protocol
from honest import answer, read_request, say

say({**answer(read_request()), "reasoning": "hidden"})
