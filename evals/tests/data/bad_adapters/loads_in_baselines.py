# fail: skill-loaded
from honest import answer, read_request, say

say({**answer(read_request()), "events": [{"type": "skill_loaded", "name": "harbour-word"}]})
