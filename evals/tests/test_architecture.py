"""The plan of the house, held by reading the code: rooms in order, standard library only, pure rooms pure."""

import ast
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path

from evals.tests.support import REPOSITORY

EVALS = REPOSITORY / "evals"
CORE = EVALS / "skill_eval"
ROOMS = (
    "errors",
    "version",
    "model",
    "reading",
    "grading",
    "evidence",
    "artifacts",
    "running",
    "reporting",
    "commands",
    "cli",
    "__main__",
)
PURE = ("model", "grading", "evidence", "reporting")
DOORS = {"io", "os", "shutil", "socket", "subprocess", "tempfile", "threading", "http", "ctypes", "multiprocessing"}
POSIX_ONLY = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "posix"}


def modules(folder: Path) -> list[Path]:
    """Return the project's own modules below `folder`, tests and their data aside."""
    found = sorted(path for path in folder.rglob("*.py") if "tests" not in path.relative_to(EVALS).parts)
    if not found:
        raise AssertionError(f"no module below {folder}")
    return found


def imports(path: Path, everywhere: bool = True) -> Iterator[str]:
    """Yield the absolute names of what `path` imports; only at module level unless `everywhere`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree) if everywhere else _module_level(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def _module_level(tree: ast.Module) -> Iterator[ast.AST]:
    for node in tree.body:
        yield node
        if isinstance(node, ast.Try):
            continue
        if isinstance(node, ast.If):
            yield from node.body


def room(path: Path) -> str:
    """Return the room a core module stands in."""
    return path.relative_to(CORE).parts[0].removesuffix(".py")


class Rooms(unittest.TestCase):
    def test_a_room_imports_only_what_stands_before_it(self) -> None:
        for path in modules(CORE):
            if path == CORE / "__init__.py":
                continue
            allowed = ROOMS[: ROOMS.index(room(path)) + 1]
            for name in imports(path):
                if name.startswith("evals.skill_eval."):
                    with self.subTest(path=str(path.relative_to(EVALS)), imports=name):
                        self.assertIn(name.split(".")[2], allowed)

    def test_the_core_knows_neither_fortis_nor_an_adapter(self) -> None:
        for path in modules(CORE):
            with self.subTest(path=str(path)):
                self.assertFalse(
                    [name for name in imports(path) if name.startswith(("evals.fortis", "evals.adapters"))]
                )

    def test_pure_rooms_have_no_door_to_the_outside(self) -> None:
        for path in (path for name in PURE for path in modules(CORE / name)):
            with self.subTest(path=str(path.relative_to(EVALS))):
                self.assertFalse({name.split(".")[0] for name in imports(path)} & DOORS)
                called = calls(path)
                self.assertFalse(called & {"open", "print", "input", "exec", "eval", "compile"})

    def test_only_the_command_line_prints(self) -> None:
        for path in modules(CORE):
            if room(path) != "cli":
                with self.subTest(path=str(path.relative_to(EVALS))):
                    called = calls(path)
                    self.assertNotIn("print", called)


def calls(path: Path) -> set[str]:
    """Return the plain names that `path` calls."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}


class Dependencies(unittest.TestCase):
    def test_everything_runs_on_the_standard_library(self) -> None:
        for path in modules(EVALS):
            siblings = (
                {sibling.stem for sibling in path.parent.glob("*.py")} if path.parent.name == "adapters" else set()
            )
            for name in imports(path):
                with self.subTest(path=str(path.relative_to(EVALS)), imports=name):
                    self.assertIn(name.split(".")[0], sys.stdlib_module_names | {"evals"} | siblings)

    def test_no_module_needs_posix_to_be_imported(self) -> None:
        for path in modules(EVALS):
            with self.subTest(path=str(path.relative_to(EVALS))):
                self.assertFalse(set(imports(path, everywhere=False)) & POSIX_ONLY)

    def test_the_project_declares_no_package(self) -> None:
        import tomllib

        project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
        self.assertEqual(project["project"]["dependencies"], [])
        self.assertNotIn("dependency-groups", project)
        lock = tomllib.loads((REPOSITORY / "uv.lock").read_text("utf-8"))
        self.assertEqual([package["name"] for package in lock["package"]], ["skill-eval"])

    def test_the_two_versions_agree(self) -> None:
        import tomllib

        from evals.skill_eval.version import VERSION

        project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
        self.assertEqual(project["project"]["version"], VERSION)


class Houses(unittest.TestCase):
    def test_every_package_and_test_folder_has_its_init(self) -> None:
        folders = {
            path.parent for path in EVALS.rglob("*.py") if "data" not in path.parts and "benchmarks" not in path.parts
        }
        for folder in sorted(folders):
            with self.subTest(folder=str(folder.relative_to(REPOSITORY))):
                self.assertTrue((folder / "__init__.py").is_file())

    def test_no_module_is_named_like_nothing_or_like_the_standard_library(self) -> None:
        for path in EVALS.rglob("*.py"):
            with self.subTest(path=str(path.relative_to(REPOSITORY))):
                self.assertNotIn(path.stem, {"utils", "common", "helpers", "core", "base"})
                if path.parent.name in ("tests", "adapters") and path.stem != "__init__":
                    self.assertNotIn(path.stem, sys.stdlib_module_names)


if __name__ == "__main__":
    unittest.main()
