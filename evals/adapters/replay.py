"""Answer from the artifacts of an earlier run: the same answers, events, usage and files, for nothing.

A trial is found by prompt, fixtures and mode, with the skill also by its name; the baseline knows no
skill, so where two cases ask the same, their answers must be equal or `--skill` must tell. Nothing is
remembered between calls, so every iteration gets the answers of one recorded iteration. What was
redacted in the artifacts stays redacted, and a redacted prompt still matches.
"""

from __future__ import annotations

import os
import sys

from protocol import (
    EXIT_FAILED,
    AdapterExit,
    Request,
    Response,
    parse_json,
    read_below,
    serve,
    shown,
    write_below,
    write_error,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

USAGE = """usage: replay RUN [--skill NAME] [--iteration N] < request.json

Answers a request of adapter protocol 1 as the same trial of RUN was answered. RUN is the folder of an
earlier run, tmp/skills-eval/<run-id>, or that of one skill in it.

  --skill NAME    look at this skill only; for a baseline whose prompt occurs in several skills
  --iteration N   take the answers of iteration N (default: the first one recorded)

exit: 0 answered, 2 bad request or arguments, 3 no such trial, or it was errored in RUN
"""

REDACTED = "[REDACTED]"
FILE_LIMIT_BYTES = 1 << 26


def answer(request: Request, arguments: list[str]) -> Response:
    """Answer with the one recorded trial that fits."""
    run, skill, iteration = options(arguments)
    folders = [f"{case}/{request.mode}" for case in cases(run, skill or request.skill_name, iteration, request)]
    if not folders:
        wanted = f"skill `{skill or request.skill_name or 'any'}`, iteration {iteration or 'first'}"
        raise AdapterExit(
            f"`{run}` holds no case for {wanted}, files {shown(list(request.files))}, prompt {shown(request.prompt)}",
            EXIT_FAILED,
        )
    answers = [(recorded_response(folder), recorded_files(folder)) for folder in folders]
    if any(other != answers[0] for other in answers[1:]):
        raise AdapterExit(f"these trials fit and differ, choose by `--skill`: {', '.join(folders)}", EXIT_FAILED)
    response, files = answers[0]
    for path, content in files.items():
        write_below(request.workspace, path, content)
    return Response(response["output"], response.get("events", []), response.get("usage", {}))


def options(arguments: list[str]) -> tuple[str, str | None, int | None]:
    """Return the run's folder, the skill and the iteration that the command line names."""
    places: list[str] = []
    chosen: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        name, joined, value = argument.partition("=")
        if name in ("--skill", "--iteration"):
            chosen[name] = value if joined else next(rest, "")
        elif argument.startswith("-"):
            raise AdapterExit(f"unknown option `{argument}`; known: `--skill`, `--iteration`")
        else:
            places.append(os.path.abspath(argument))
    if len(places) != 1:
        raise AdapterExit(f"expected one folder of a run, found {len(places)}")
    if not os.path.isdir(places[0]):
        raise AdapterExit(f"`{places[0]}` is no folder")
    iteration = chosen.get("--iteration")
    if iteration is not None and not (iteration.isascii() and iteration.isdecimal() and int(iteration) > 0):
        raise AdapterExit(f"--iteration: expected a whole number of at least 1, found `{iteration}`")
    return places[0], chosen.get("--skill"), None if iteration is None else int(iteration)


def cases(run: str, skill: str | None, iteration: int | None, request: Request) -> list[str]:
    """Return the folders of the cases that ask what the request asks, those with the very prompt first choice."""
    found = [
        (folder, case["prompt"] == request.prompt)
        for recorded in skills(run)
        if skill in (None, os.path.basename(recorded))
        for folder in evals(recorded, iteration)
        for case in [document(f"{folder}/case.json")]
        if same_prompt(str(case.get("prompt")), request.prompt) and same_files(case, request)
    ]
    exact = [folder for folder, same in found if same]
    return exact or [folder for folder, _ in found]


def skills(run: str) -> list[str]:
    """Return the folders of the skills in a run; a skill's own folder stands for itself."""
    if iterations(run):
        return [run]
    return [place for name in sorted(os.listdir(run)) if iterations(place := os.path.join(run, name))]


def evals(skill: str, iteration: int | None) -> Iterator[str]:
    """Yield the folders of the cases of one iteration, by default the first."""
    numbers = iterations(skill)
    chosen = iteration if iteration is not None else min(numbers)
    if chosen in numbers:
        folder = os.path.join(skill, f"iteration-{chosen}")
        for name in sorted(os.listdir(folder)):
            if os.path.isfile(os.path.join(folder, name, "case.json")):
                yield os.path.join(folder, name)


def iterations(place: str) -> list[int]:
    """Return the numbers of the iterations in a skill's folder."""
    names = os.listdir(place) if os.path.isdir(place) else []
    numbers = [name.removeprefix("iteration-") for name in names if name.startswith("iteration-")]
    return [int(number) for number in numbers if number.isascii() and number.isdecimal()]


def same_prompt(recorded: str, prompt: str) -> bool:
    """Tell whether a recorded prompt is the prompt; what was redacted may have been anything."""
    first, *others = recorded.split(REDACTED)
    if not others:
        return recorded == prompt
    last = others.pop()
    if not prompt.startswith(first) or not prompt.endswith(last) or len(prompt) < len(first) + len(last):
        return False
    at, end = len(first), len(prompt) - len(last)
    for part in others:
        at = prompt.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True


def same_files(case: dict[str, Any], request: Request) -> bool:
    """Tell whether a case has the request's fixtures; a run that did not record them fits all."""
    files = case.get("files")
    return not isinstance(files, list) or [f"inputs/{path}" for path in files] == list(request.files)


def recorded_response(folder: str) -> dict[str, Any]:
    """Return what the adapter answered then; raises AdapterExit when the trial was errored or is not there."""
    if os.path.isfile(f"{folder}/error.json"):
        failure = document(f"{folder}/error.json")
        raise AdapterExit(f"`{folder}` was errored: {failure.get('message', 'no message')}", EXIT_FAILED)
    if not os.path.isfile(f"{folder}/response.json"):
        raise AdapterExit(f"`{folder}` holds no `response.json`", EXIT_FAILED)
    response = document(f"{folder}/response.json")
    if not isinstance(response.get("output"), str):
        raise AdapterExit(f"`{folder}/response.json` holds no text `output`", EXIT_FAILED)
    return response


def recorded_files(folder: str) -> dict[str, bytes]:
    """Return the files that the agent made then, by path; one that was not kept is told on standard error."""
    timing = document(f"{folder}/timing.json") if os.path.isfile(f"{folder}/timing.json") else {}
    files: dict[str, bytes] = {}
    for file in timing.get("workspace_files", []):
        content = read_below(f"{folder}/outputs", file["path"], FILE_LIMIT_BYTES)
        if content is None:
            write_error(f"replay: file `{file['path']}` is not among the artifacts in `{folder}`")
        else:
            files[file["path"]] = content
    return files


def document(path: str) -> dict[str, Any]:
    """Return the object in a JSON file; raises AdapterExit when there is none."""
    try:
        with open(path, "rb") as stream:
            value = parse_json(stream.read(), f"`{path}`", EXIT_FAILED)
    except OSError as error:
        raise AdapterExit(f"`{path}` cannot be read: {error.strerror}", EXIT_FAILED) from error
    if not isinstance(value, dict):
        raise AdapterExit(f"`{path}` holds no JSON object", EXIT_FAILED)
    return value


if __name__ == "__main__":
    sys.exit(serve(answer, USAGE))
