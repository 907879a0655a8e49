# not observable: unicode-prompt
import unicodedata

from honest import answer, read_request, say

request = read_request()
request["prompt"] = unicodedata.normalize("NFC", request["prompt"])
say(answer(request))
