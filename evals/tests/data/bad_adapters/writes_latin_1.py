# fail: protocol
import json
import sys

from honest import answer, read_request

text = json.dumps({**answer(read_request()), "events": [{"type": "caf\u00e9"}]}, ensure_ascii=False)
sys.stdout.buffer.write(text.replace("caf\u00e9", "CAFE").encode().replace(b"CAFE", b"caf\xe9"))
