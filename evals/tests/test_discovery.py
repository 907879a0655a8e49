"""Discovery: which folders are skills, and what is said of those that are not."""

import os
import unittest
from pathlib import Path

from evals.skill_eval.errors import ConfigError
from evals.skill_eval.model.problem import Problem
from evals.skill_eval.reading.discovery import Discovery, discover, find_repository_root
from evals.tests.support import RepositoryTest


class DiscoveryTest(RepositoryTest):
    """A repository with one good skill, `skills/sample`."""

    def setUp(self) -> None:
        """Add the skill."""
        super().setUp()
        self.add_skill()

    def folders(self, **options: object) -> list[str]:
        """Return the skill folders as they are shown."""
        return [folder.shown for folder in self.discovery(**options).folders]

    def discovery(self, **options: object) -> Discovery:
        """Discover with `options`."""
        return discover(self.root, **options)  # type: ignore[arg-type]

    def findings(self, **options: object) -> list[tuple[str, str]]:
        """Return path and code of each finding."""
        return [(problem.path, problem.code) for problem in self.discovery(**options).problems]

    def finding(self, path: str, **options: object) -> Problem:
        """Return the one finding about `path`."""
        (problem,) = (problem for problem in self.discovery(**options).problems if problem.path == path)
        return problem

    def skill_at(self, folder: str) -> None:
        """Write a skill named like its folder."""
        name = folder.rpartition("/")[2]
        self.write(f"{folder}/SKILL.md", f"---\nname: {name}\ndescription: Says so.\n---\n")

    def link(self, name: str, target: str | Path) -> None:
        """Make a link below the repository."""
        place = self.root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)


class Children(DiscoveryTest):
    def test_every_immediate_folder_is_a_skill_with_or_without_a_suite(self) -> None:
        self.add_skill("with-suite", [])
        self.write("skills/README.md", "plain files are no skills\n")
        self.write("skills/.git/config", "hidden folders are no skills\n")
        self.assertEqual(self.folders(), ["skills/sample", "skills/with-suite"])
        self.assertEqual(self.findings(), [])

    def test_a_folder_knows_its_real_path_and_that_the_name_must_match(self) -> None:
        (folder,) = self.discovery().folders
        self.assertEqual((folder.directory, folder.match_directory), (self.root / "skills/sample", True))

    def test_a_folder_without_skill_md_is_an_error_that_says_what_it_is(self) -> None:
        self.write("skills/notes/readme.txt", "x")
        (self.root / "skills/empty").mkdir()
        self.skill_at("skills/group/inner")
        self.skill_at("skills/group/deeper/other")
        self.write("skills/__pycache__/x.pyc", b"x")
        self.assertEqual(
            self.findings(),
            [
                ("skills/__pycache__", "SE301"),
                ("skills/empty", "SE302"),
                ("skills/group", "SE303"),
                ("skills/notes", "SE301"),
            ],
        )
        category = self.finding("skills/group")
        self.assertIn("`skills/group/deeper/other` and 1 more", category.message)
        self.assertIn("--skills-dir skills/group", category.hint or "")
        self.assertEqual(self.folders(), ["skills/sample"])

    def test_any_spelling_of_skill_md_makes_a_skill_whatever_it_is(self) -> None:
        self.write("skills/lower/skill.md", "x")
        (self.root / "skills/folder/SKILL.md").mkdir(parents=True)
        self.assertEqual(self.folders(), ["skills/folder", "skills/lower", "skills/sample"])

    def test_a_skill_inside_a_skill_is_its_own_affair(self) -> None:
        self.skill_at("skills/sample/references/inner")
        self.assertEqual(self.folders(), ["skills/sample"])
        self.assertEqual(self.findings(), [])

    def test_a_hidden_folder_is_mentioned_only_if_it_hides_skills(self) -> None:
        self.skill_at("skills/.curated/inner")
        self.write("skills/.cache/x", "x")
        self.assertEqual(self.findings(), [("skills/.curated", "SE311")])

    def test_twins_by_case_are_an_error_on_every_system(self) -> None:
        self.skill_at("skills/Sample")
        if len(os.listdir(self.root / "skills")) == 1:
            self.skipTest("this file system ignores case")
        self.assertEqual(self.findings(), [("skills/sample", "SE307")])
        self.assertIn("`skills/Sample`", self.finding("skills/sample").message)

    def test_twins_by_unicode_form_are_an_error_too(self) -> None:
        self.skill_at("skills/caf\u00e9")
        self.skill_at("skills/cafe\u0301")
        if len(os.listdir(self.root / "skills")) == 2:
            self.skipTest("this file system ignores the normal form")
        self.assertEqual([code for _, code in self.findings()], ["SE307"])


@unittest.skipIf(os.name == "nt", "needs POSIX file names")
class OddNames(DiscoveryTest):
    def test_a_name_with_a_line_break_or_odd_bytes_is_a_skill_like_others(self) -> None:
        self.skill_at("skills/a\nb")
        try:
            os.mkdir(os.fsencode(self.root / "skills") + b"/\xff")
        except OSError:
            self.skipTest("this file system takes only UTF-8")
        self.assertEqual(self.folders(), ["skills/a\nb", "skills/sample"])
        self.assertEqual(self.findings(), [("skills/\udcff", "SE302")])

    def test_a_folder_that_cannot_be_listed_is_a_finding(self) -> None:
        name = "d" * 250
        before = os.open(self.root / "skills", os.O_RDONLY)
        for _ in range(18):  # longer than any path that a system call takes
            os.mkdir(name, dir_fd=before)
            below = os.open(name, os.O_RDONLY, dir_fd=before)
            os.close(before)
            before = below
        os.close(before)
        (problem,) = self.discovery(recursive=True).problems
        self.assertEqual((problem.code, problem.message), ("SE308", "folder cannot be read: file name too long"))


@unittest.skipIf(os.name == "nt", "links need a privilege there")
class Links(DiscoveryTest):
    def test_a_link_is_judged_by_where_it_leads_and_never_followed(self) -> None:
        self.skill_at("elsewhere/linked")
        self.link("skills/inside", "../elsewhere/linked")
        self.link("skills/alias", "sample")
        self.skill_at("../outside/one")
        self.link("skills/outside", "../../outside/one")
        self.link("skills/outer", self.root.parent)
        self.link("skills/absolute", "/nonexistent/author")
        self.link("skills/dangling", "nowhere")
        self.link("skills/itself", "itself")
        self.link("skills/loop", ".")
        self.link("skills/README.md", "../elsewhere/linked/SKILL.md")
        self.assertEqual(
            self.findings(),
            [
                ("skills/absolute", "SE305"),
                ("skills/alias", "SE306"),
                ("skills/dangling", "SE305"),
                ("skills/inside", "SE306"),
                ("skills/itself", "SE305"),
                ("skills/loop", "SE305"),
                ("skills/outer", "SE305"),
                ("skills/outside", "SE304"),
            ],
        )
        self.assertEqual(self.folders(), ["skills/sample"])

    def test_a_neighbour_that_begins_with_the_name_of_the_repository_is_outside(self) -> None:
        neighbour = self.root.with_name(self.root.name + "-2")
        neighbour.mkdir()
        self.link("skills/near", neighbour)
        self.assertEqual(self.findings(), [("skills/near", "SE304")])

    def test_recursive_ends_in_spite_of_loops_and_finds_nothing_twice(self) -> None:
        self.link("loop", ".")
        self.link("skills/up", "..")
        self.link(".claude/skills", "../skills")
        self.assertEqual(self.folders(recursive=True), ["skills/sample"])
        self.assertEqual(self.findings(recursive=True), [(".claude/skills", "SE311"), ("skills/up", "SE305")])
        self.assertIn("and 1 more", self.finding(".claude/skills", recursive=True).message)

    def test_a_skills_folder_that_is_a_link_is_read_where_it_really_is(self) -> None:
        (self.root / "skills").rename(self.root / "real")
        self.link("skills", "real")
        self.assertEqual(self.folders(), ["real/sample"])

    def test_a_skills_folder_that_leads_out_of_the_repository_is_refused(self) -> None:
        (self.root / "skills").rename(self.root.parent / "elsewhere")
        self.link("skills", "../elsewhere")
        with self.assertRaisesRegex(ConfigError, "link out of the repository"):
            self.discovery()


class Recursive(DiscoveryTest):
    def test_it_finds_the_places_where_tools_keep_skills(self) -> None:
        places = [
            ".agents/skills/one",
            ".claude/skills/two",
            ".github/skills/three",
            "plugins/p/skills/four",
            "skills/.curated/five",
            "skills/category/six",
            "skills/category/deeper/seven",
            "skills/tests/eight",
            "top",
        ]
        for place in places:
            self.skill_at(place)
        self.assertEqual(self.folders(recursive=True), sorted([*places, "skills/sample"]))
        self.assertEqual(self.findings(recursive=True), [])

    def test_a_skill_at_the_root_needs_not_be_named_like_its_folder(self) -> None:
        self.write("SKILL.md", "---\nname: whole\ndescription: Says so.\n---\n")
        first, second = self.discovery(recursive=True).folders
        self.assertEqual((first.shown, first.match_directory), (".", False))
        self.assertEqual((second.shown, second.match_directory), ("skills/sample", True))

    def test_it_says_what_it_skipped_and_why(self) -> None:
        for folder in (".git/a", "a/node_modules/b", "node_modules/c", ".venv/lib", "tests/d", "tmp/e", ".github/f"):
            self.skill_at(folder)
        self.assertEqual(self.folders(recursive=True), ["skills/sample"])
        said = {problem.path: problem.message for problem in self.discovery(recursive=True).problems}
        self.assertEqual(
            said,
            {
                ".git": "skipped: repository data",
                ".github/f": "skipped: of a hidden folder only `skills` is looked at",
                ".venv": "skipped: a Python environment",
                "a/node_modules": "skipped, and 1 more such folder: installed packages",
                "tests": "skipped: test material",
                "tmp": "skipped: run artifacts",
            },
        )

    def test_only_the_repositorys_own_tmp_holds_run_artifacts(self) -> None:
        self.skill_at("plugins/tmp/mine")
        self.assertEqual(self.folders(recursive=True), ["plugins/tmp/mine", "skills/sample"])

    def test_what_agents_made_in_kept_runs_is_no_skill(self) -> None:
        self.skill_at("runs/first/sample/iteration-1/eval-1/with_skill/outputs/skills/made")
        self.write("runs/first/run.json", "{}")
        self.assertEqual(len(self.folders(recursive=True)), 2)
        self.write("runs/first/journal.jsonl", "")
        self.assertEqual(self.folders(recursive=True), ["skills/sample"])
        (problem,) = self.discovery(recursive=True).problems
        self.assertEqual((problem.path, problem.message), ("runs/first", "skipped: run artifacts"))

    def test_it_can_start_at_a_folder_of_skills(self) -> None:
        self.skill_at("tests/data/category/one")
        self.assertEqual(self.folders(recursive=True, skills_dirs=(Path("tests/data"),)), ["tests/data/category/one"])


class Roots(DiscoveryTest):
    def test_folders_of_skills_can_be_named_together_and_twice(self) -> None:
        self.skill_at("more/one")
        named = (Path("skills"), Path("more"), self.root / "skills")
        self.assertEqual(self.folders(skills_dirs=named), ["more/one", "skills/sample"])

    def test_a_named_folder_may_be_one_skill(self) -> None:
        self.skill_at("single")
        (folder,) = self.discovery(skills_dirs=(Path("single"),)).folders
        self.assertEqual((folder.shown, folder.match_directory), ("single", True))

    def test_dots_mean_the_current_folder_where_that_is_in_the_repository(self) -> None:
        self.skill_at("skills/other")
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        for place, named, expected in (
            ("skills/other", ".", ["skills/other"]),
            ("skills/other", "../sample", ["skills/sample"]),
            ("skills", ".", ["skills/other", "skills/sample"]),
            ("skills/other", "skills", ["skills/other", "skills/sample"]),
        ):
            with self.subTest(place=place, named=named):
                os.chdir(self.root / place)
                self.assertEqual(self.folders(skills_dirs=(Path(named),)), expected)
        os.chdir(before)
        self.assertEqual(self.folders(skills_dirs=(Path(),), recursive=True), ["skills/other", "skills/sample"])

    def test_a_folder_outside_of_the_repository_keeps_its_whole_path(self) -> None:
        self.skill_at("../outside/one")
        outside = self.root.parent / "outside"
        self.assertEqual(self.folders(skills_dirs=(outside,)), [f"{outside}/one".replace(os.sep, "/")])

    def test_what_cannot_be_a_root_is_refused_by_its_path(self) -> None:
        (self.root / "nothing").mkdir()
        self.write("file", "x")
        table: list[tuple[Path, tuple[Path, ...], bool, str]] = [
            (self.root / "gone", (), False, "gone`: no such folder"),
            (self.root / "file", (), False, "file`: no such folder"),
            (self.root / "nothing", (), False, "holds no folder `skills`"),
            (self.root / "nothing", (), True, "no skill in .*nothing`"),
            (self.root, (Path("nothing"),), False, "no skill in .*nothing`"),
            (self.root, (Path("skills"), Path("gone")), False, "`gone`: no such folder"),
        ]
        for root, skills_dirs, recursive, message in table:
            with self.subTest(message=message), self.assertRaisesRegex(ConfigError, message):
                discover(root, skills_dirs=skills_dirs, recursive=recursive)

    def test_the_root_is_the_nearest_folder_above_that_holds_skills(self) -> None:
        inner = self.root / "skills/sample/references"
        inner.mkdir()
        self.assertEqual(find_repository_root(inner, Path("/package")), self.root)
        self.assertEqual(find_repository_root(self.root.parent, self.root / "package"), self.root / "package")
        self.assertEqual(find_repository_root(self.root.parent, None), self.root.parent)
