"""What agents do to their workspace, and a check that its removal touches nothing else.

As a program (`python -m evals.tests.hostile_trees FOLDER`) it runs every check as an ordinary user,
from whom, unlike from root, permissions keep something.
"""

import os
import shutil
import socket
import stat
import sys
import unicodedata  # noqa: F401 - an ordinary user may not be able to read root's library, so it is loaded before
from collections.abc import Callable
from pathlib import Path

from evals.skill_eval.model.skill import FileCopy
from evals.skill_eval.running.harvest import created, made_files, tampered
from evals.skill_eval.running.workspace import prepared_workspace

NOBODY = 65534
FILES = (FileCopy("inputs/a.txt", b"fixture\n"), FileCopy("skills/sample/SKILL.md", b"---\n"))
LAID = {file.path: file for file in FILES}
Deed = Callable[[str, str], None]
DEEDS: dict[str, Deed] = {}
"""What is done, by name; each is given the workspace and a folder of the user's outside of it."""


def deed(function: Deed) -> Deed:
    DEEDS[function.__name__] = function
    return function


def check(name: str, place: Path) -> None:
    """Let `name` be done to a workspace below `place`; raises AssertionError when removal does not cope."""
    root, outside, elsewhere = (place / name / part for part in ("root", "outside", "elsewhere"))
    for folder in (root, outside, elsewhere):
        folder.mkdir(parents=True)
    (outside / "keep.txt").write_text("keep me\n", encoding="utf-8")
    (outside / "keep.txt").chmod(0o640)
    before = _state(outside)
    left: list[tuple[str, ...]] = []
    with prepared_workspace(root, files=FILES, on_left=left.append) as workspace:
        DEEDS[name](str(workspace), str(outside))
        kept = created(workspace, LAID)
        made_files(workspace, LAID, ["inputs/a.txt", "one/x", "pipe", "keep.txt"])
        tampered(workspace, LAID)
    _expect(not left, f"{name}: left {left}")
    _expect(not os.listdir(root), f"{name}: still there: {os.listdir(root)}")
    _expect(not os.listdir(elsewhere), f"{name}: moved and still there: {os.listdir(elsewhere)}")
    _expect(_state(outside) == before, f"{name}: the user's folder was touched")
    _expect(not any(b"keep me" in file.content for file in kept.files), f"{name}: the user's file was taken along")


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)


def _state(folder: Path) -> list[tuple[str, int, bytes]]:
    return [
        (p.name, stat.S_IMODE(p.stat().st_mode), p.read_bytes() if p.is_file() else b"")
        for p in sorted(folder.iterdir())
    ]


@deed
def nothing(workspace: str, outside: str) -> None:
    pass


@deed
def a_read_only_tree(workspace: str, outside: str) -> None:
    for number in range(5):
        folder = f"{workspace}/mod/m{number}/sub"
        os.makedirs(folder)
        Path(folder, "f").write_bytes(b"x")
        os.chmod(f"{folder}/f", 0o444)
        os.chmod(folder, 0o555)
        os.chmod(os.path.dirname(folder), 0o555)
    os.chmod(f"{workspace}/mod", 0o555)
    os.chmod(workspace, 0o555)


@deed
def no_rights_at_all(workspace: str, outside: str) -> None:
    os.makedirs(f"{workspace}/locked/inner/empty")
    Path(workspace, "locked/inner/f").write_bytes(b"x")
    for folder in ("/locked/inner/empty", "/locked/inner", "/locked", ""):
        os.chmod(f"{workspace}{folder}", 0)
    os.chmod(os.path.dirname(workspace), 0)


@deed
def rights_without_reading_or_without_searching(workspace: str, outside: str) -> None:
    for mode in (0o100, 0o200, 0o300, 0o400, 0o500, 0o600):
        os.makedirs(f"{workspace}/m{mode}/inner")
        os.chmod(f"{workspace}/m{mode}", mode)


@deed
def pipes_sockets_and_devices(workspace: str, outside: str) -> None:
    os.mkfifo(f"{workspace}/pipe")
    here = os.open(".", os.O_RDONLY)
    os.chdir(workspace)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
    os.fchdir(here)
    os.close(here)
    os.symlink("/dev/zero", f"{workspace}/zero")
    os.symlink("loop", f"{workspace}/loop")
    os.symlink(".", f"{workspace}/self")


@deed
def links_out_in_read_only_folders(workspace: str, outside: str) -> None:
    for name, link in (("one", os.link), ("two", os.symlink)):
        os.mkdir(f"{workspace}/{name}")
        link(f"{outside}/keep.txt", f"{workspace}/{name}/x")
        os.chmod(f"{workspace}/{name}", 0o555)
    os.symlink(outside, f"{workspace}/three")
    os.symlink(f"{outside}/keep.txt", f"{workspace}/keep.txt")


@deed
def an_input_folder_that_is_a_link_out(workspace: str, outside: str) -> None:
    shutil.rmtree(f"{workspace}/inputs")
    os.symlink(outside, f"{workspace}/inputs")


@deed
def two_thousand_files(workspace: str, outside: str) -> None:
    for number in range(2_000):
        os.close(os.open(f"{workspace}/f{number}", os.O_CREAT | os.O_WRONLY, 0o644))


@deed
def odd_names(workspace: str, outside: str) -> None:
    for name in (b"\xff\xfe", b"a\nb", b"::error::x", b"n" * 255, b" ", b"-rf", b"*"):
        os.makedirs(os.path.join(os.fsencode(workspace), b"odd", name))
        os.close(os.open(os.path.join(os.fsencode(workspace), name), os.O_CREAT | os.O_WRONLY, 0o600))


@deed
def a_tree_of_1500_levels(workspace: str, outside: str) -> None:
    _go_deep(workspace, ["d"] * 1_500)


@deed
def a_tree_beyond_the_longest_path(workspace: str, outside: str) -> None:
    _go_deep(workspace, ["n" * 200] * 60)


@deed
def a_sparse_file(workspace: str, outside: str) -> None:
    with open(f"{workspace}/sparse", "wb") as file:
        file.truncate(1 << 40)


@deed
def deleted(workspace: str, outside: str) -> None:
    shutil.rmtree(workspace)


@deed
def deleted_with_the_folder_around(workspace: str, outside: str) -> None:
    shutil.rmtree(os.path.dirname(workspace))


@deed
def replaced_by_a_link_out(workspace: str, outside: str) -> None:
    shutil.rmtree(workspace)
    os.symlink(outside, workspace)


@deed
def replaced_by_a_dangling_link(workspace: str, outside: str) -> None:
    shutil.rmtree(workspace)
    os.symlink("nowhere", workspace)


@deed
def replaced_by_a_file(workspace: str, outside: str) -> None:
    shutil.rmtree(workspace)
    Path(workspace).write_bytes(b"now a file")


@deed
def moved_with_a_decoy_left(workspace: str, outside: str) -> None:
    os.rename(workspace, f"{outside}/../elsewhere/moved")
    os.mkdir(workspace)


@deed
def moved_and_locked(workspace: str, outside: str) -> None:
    os.mkdir(f"{workspace}/inner")
    os.rename(workspace, f"{outside}/../elsewhere/moved")
    os.chmod(f"{outside}/../elsewhere/moved", 0)


@deed
def moved_into_another_folder_of_the_trial(workspace: str, outside: str) -> None:
    os.mkdir(f"{workspace}/../beside")
    os.rename(workspace, f"{workspace}/../beside/moved")


@deed
def the_folder_around_moved_and_a_link_left(workspace: str, outside: str) -> None:
    os.rename(os.path.dirname(workspace), f"{outside}/../elsewhere/around")
    os.symlink(outside, os.path.dirname(workspace))


def _go_deep(workspace: str, names: list[str]) -> None:
    here = os.open(workspace, os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=here)
        child = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = child
    os.close(os.open("leaf", os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=here))
    os.close(here)


def become_ordinary() -> None:
    """Give up root for good, if we have it."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def main(place: str) -> int:
    import resource

    become_ordinary()
    resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))
    for name in DEEDS:
        check(name, Path(place))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
