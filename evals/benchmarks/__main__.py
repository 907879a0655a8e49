"""Measure the harness as its users meet it: `python3 -m evals.benchmarks [--repeats N]`."""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evals.tests.support import REPOSITORY

NOOP = '#!/bin/sh\nprintf \'{"output": "PROBE-OK"}\'\n'
LOUD = "#!/bin/sh\nprintf '{\"output\": \"PROBE-OK '; head -c 1000000 /dev/zero | tr '\\0' x; printf '\"}'\n"
MILLISECONDS, MEGABYTE = 1000, 1 << 20


@dataclass(frozen=True, slots=True)
class Cost:
    """One process with all its children: wall clock and CPU in seconds, largest resident size in bytes."""

    wall: float
    cpu: float
    resident: int


def cost(argv: list[str]) -> Cost:
    """Run `argv` to its end and return what it took; raises SystemExit when it fails."""
    start = time.perf_counter()
    child = os.posix_spawn(sys.executable, [sys.executable, *argv], _environment(), file_actions=_silent())
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - start
    if status:
        raise SystemExit(f"{argv} ended with status {os.waitstatus_to_exitcode(status)}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def median(argv: list[str], repeats: int) -> Cost:
    """Return the median of each figure over `repeats` runs."""
    costs = [cost(argv) for _ in range(repeats)]
    return Cost(*(statistics.median(getattr(one, name) for one in costs) for name in ("wall", "cpu", "resident")))


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(REPOSITORY), "PYTHONSAFEPATH": "1"}


def _silent() -> list[tuple[int, int, str, int, int]]:
    return [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_WRONLY, 0) for descriptor in (1, 2)]


def add_skills(root: Path, skills: int, cases: int) -> None:
    """Write `skills` small skills with a suite of `cases` cases each."""
    for number in range(skills):
        name = f"skill-{number:04}"
        folder = root / "skills" / name
        (folder / "evals").mkdir(parents=True)
        head = f"---\nname: {name}\ndescription: Says the phrase number {number} when asked for it.\n---\n"
        (folder / "SKILL.md").write_text(head + "\nSay PROBE-OK.\n" * 20, encoding="utf-8")
        check = {"id": "phrase", "type": "contains", "value": "PROBE-OK"}
        suite = [
            {
                "id": n,
                "prompt": f"Say it, {n}.",
                "expected_output": "PROBE-OK",
                "assertions": ["says it"],
                "checks": [check],
            }
            for n in range(1, cases + 1)
        ]
        text = json.dumps({"skill_name": name, "evals": suite}, indent=2)
        (folder / "evals/evals.json").write_text(text, encoding="utf-8")


def add_adapter(root: Path, text: str) -> str:
    """Write an executable adapter and return its path."""
    path = root / "adapter.sh"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def start_up(root: Path, repeats: int) -> None:
    """How long until anything happens."""
    add_skills(root, 1, 3)
    harness = ["-m", "evals.skill_eval"]
    show("interpreter alone", median(["-c", "pass"], repeats))
    show("--help", median([*harness, "--help"], repeats))
    show("validate one skill", median([*harness, "validate", "--repo-root", str(root)], repeats))


def many_skills(root: Path, repeats: int) -> None:
    """How long a large repository takes."""
    add_skills(root, 1000, 3)
    show("validate 1,000 skills", median(["-m", "evals.skill_eval", "validate", "--repo-root", str(root)], repeats))


def many_calls(root: Path, repeats: int) -> None:
    """What one adapter call costs beside the adapter itself."""
    add_skills(root, 1, 20)
    run = ["-m", "evals.skill_eval", "run", "--repo-root", str(root), "--adapter", add_adapter(root, NOOP)]
    whole, idle = median(run, repeats), median([*run, "--dry-run"], repeats)
    show("run 20 cases x 2 modes, no-op adapter", whole)
    own = (whole.cpu - idle.cpu) / 40 * MILLISECONDS
    print(f"  CPU of one call, adapter and harness together: {own:.2f} ms")


def more_jobs(root: Path, repeats: int) -> None:
    """What a second worker brings."""
    add_skills(root, 1, 100)
    run = ["-m", "evals.skill_eval", "run", "--repo-root", str(root), "--adapter", add_adapter(root, NOOP)]
    one, two = median(run, repeats), median([*run, "--jobs", "2"], repeats)
    show("run 100 cases x 2 modes, --jobs 1", one)
    show("run 100 cases x 2 modes, --jobs 2", two)
    print(f"  --jobs 2 is {one.wall / two.wall:.2f} times as fast")


def loud_adapters(root: Path, repeats: int) -> None:
    """Whether memory stays flat while adapters print 1 MB each."""
    add_skills(root, 1, 20)
    run = ["-m", "evals.skill_eval", "run", "--repo-root", str(root), "--adapter", add_adapter(root, LOUD)]
    show("run 20 cases x 2 modes, 1 MB of output each", median([*run, "--iterations", "1"], max(1, repeats // 3)))
    show("the same with 3 iterations", median([*run, "--iterations", "3"], max(1, repeats // 3)))


def long_runs(root: Path, repeats: int) -> None:
    """Whether time grows with the number of trials and memory does not."""
    add_skills(root, 1, 250)
    run = [
        "-m",
        "evals.skill_eval",
        "run",
        "--repo-root",
        str(root),
        "--adapter",
        add_adapter(root, NOOP),
        "--jobs",
        "2",
    ]
    small, large = median([*run, "--iterations", "2"], 1), median([*run, "--iterations", "10"], 1)
    show("run 1,000 trials, --jobs 2", small)
    show("run 5,000 trials, --jobs 2", large)
    print(f"  five times the trials took {large.wall / small.wall:.2f} times as long", flush=True)


def show(what: str, one: Cost) -> None:
    """Print one row."""
    wall, cpu = one.wall * MILLISECONDS, one.cpu * MILLISECONDS
    print(f"{what:<48} {wall:8.0f} ms wall {cpu:8.0f} ms CPU {one.resident / MEGABYTE:6.0f} MB", flush=True)


MEASURES: tuple[Callable[[Path, int], None], ...] = (
    start_up,
    many_skills,
    many_calls,
    more_jobs,
    loud_adapters,
    long_runs,
)


def main() -> None:
    """Measure everything, each in a folder of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="runs behind each median (default 5)")
    parser.add_argument("--only", metavar="NAME", choices=[one.__name__ for one in MEASURES], help="one measure alone")
    args = parser.parse_args()
    for measure in MEASURES:
        if args.only in (None, measure.__name__):
            with tempfile.TemporaryDirectory() as place:
                measure(Path(place), args.repeats)


if __name__ == "__main__":
    main()
