# fail: large-prompt
import subprocess

from honest import answer, read_request, say

request = read_request()
if len(request["prompt"]) > 100_000:
    subprocess.run(["/bin/true", request["prompt"]])
say(answer(request))
