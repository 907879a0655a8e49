# fail: skill-loaded
from honest import answer, read_request, say

response = answer(read_request())
for event in response["events"]:
    event["name"] = "plugin:" + event["name"]
say(response)
