# fail: cancellation
import os
import sys
import time

from honest import answer, kept, read_request, say

request = read_request()
path = kept("lock")
patience = time.monotonic() + 2
while True:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
        break
    except FileExistsError:
        if time.monotonic() > patience:
            sys.exit("another call is under way")
        time.sleep(0.01)
if "Count from" in request["prompt"]:
    time.sleep(5)
response = answer(request)
os.unlink(path)
say(response)
