# fail: leftover-processes
import subprocess

from honest import answer, read_request, say

request = read_request()
subprocess.Popen(["/bin/sleep", "20"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
say(answer(request))
