# not observable: kept-state
from honest import answer, read_request, say

say({**answer(read_request()), "output": "Done."})
