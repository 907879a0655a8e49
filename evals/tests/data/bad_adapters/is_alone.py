# fail: concurrency
import fcntl
import os
import sys
import time

from honest import answer, kept, read_request, say

request = read_request()
lock = open(kept("lock"), "a")
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    open(kept("refused"), "w").close()
    sys.exit("another call is under way")
patience = time.monotonic() + 5
while os.path.exists(kept("skilled")) and not os.path.exists(kept("refused")) and time.monotonic() < patience:
    if request["skill"] is None:
        break
    time.sleep(0.01)
if request["skill"] is not None:
    open(kept("skilled"), "w").close()
say(answer(request))
