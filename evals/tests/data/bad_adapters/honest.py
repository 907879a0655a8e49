"""A well-behaved adapter: it repeats its prompt and quotes its skill. Each of its neighbours is this with one fault.

The only argument is a folder in which those may keep what they must not.
"""

import json
import os
import sys

FIELDS = {"protocol_version", "mode", "skill", "prompt", "files", "workspace"}
KEPT = sys.argv[1] if len(sys.argv) > 1 else "."


def read_request():
    request = json.loads(sys.stdin.buffer.read().decode("utf-8"))
    if not isinstance(request, dict) or FIELDS - request.keys() or request["protocol_version"] != 1:
        sys.exit("this is no request of protocol 1")
    return request


def skill_text(request):
    if request["skill"] is None:
        return ""
    with open(os.path.join(request["skill"]["path"], "SKILL.md"), encoding="utf-8") as file:
        return file.read()


def answer(request):
    text = skill_text(request)
    events = [{"type": "skill_loaded", "name": request["skill"]["name"]}] if text else []
    return {"output": request["prompt"] + text, "events": events, "usage": {"input_tokens": len(request["prompt"])}}


def say(response):
    sys.stdout.write(json.dumps(response) + "\n")
    sys.stdout.flush()


def kept(name):
    """Return the path of something that is kept between calls."""
    return os.path.join(KEPT, name)


if __name__ == "__main__":
    say(answer(read_request()))
