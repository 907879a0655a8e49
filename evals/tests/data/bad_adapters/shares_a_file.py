# fail: concurrency
import os
import time

from honest import answer, kept, read_request, say

request = read_request()
path = kept("prompt.txt")
is_first = not os.path.exists(path)


def shared():
    return open(path, encoding="utf-8").read()


own = f"{path}.{os.getpid()}"
open(own, "w", encoding="utf-8").write(request["prompt"])
os.replace(own, path)
patience = time.monotonic() + 2
while not is_first and "Repeat" in request["prompt"] and shared() == request["prompt"] and time.monotonic() < patience:
    time.sleep(0.01)
request["prompt"] = shared()
say(answer(request))
