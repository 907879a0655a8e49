"""Each check of `validate` catches a fault that is planted for it, and nothing before that."""

import unittest
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from evals.fortis.findings import CHECKS, Finding
from evals.fortis.library_checks import library_findings, phrasebook_findings
from evals.fortis.model import Domain, Goal, Query, Reach, Scope, Setting, SkillLabel, ToolLabel
from evals.fortis.phrase_reading import load_phrasebook
from evals.fortis.query_checks import query_findings
from evals.fortis.reading import load_lexicon, load_library, load_recovery
from evals.fortis.recovery import Reader
from evals.fortis.review import COLUMNS, review_findings
from evals.fortis.storage import load_domain
from evals.fortis.validation import Built, built, findings, lock_findings

Change = Callable[[Query], Query]
WHOLE_DOMAIN = ("V8", "V9", "V11")


EMAIL: Domain
TEMPLATES: frozenset[str]
READER: Reader


def setUpModule() -> None:
    global EMAIL, TEMPLATES, READER
    EMAIL = load_domain("email")
    TEMPLATES = frozenset(template.id for template in load_phrasebook("email").templates)
    READER = Reader(*load_recovery("email"))


def first(task: int, setting: Setting, fits: Callable[[Query], bool] = lambda query: True) -> Query:
    """Return the first stored query of this kind."""
    return next(query for query in EMAIL.queries if (query.task, query.setting) == (task, setting) and fits(query))


def with_twin(query: Query) -> Domain:
    """Return a domain of one query and its twin."""
    chosen = [each for each in EMAIL.queries if each.id in (query.id, query.twin)]
    return Domain(EMAIL.library, tuple(q for q in chosen if q.task == 1), tuple(q for q in chosen if q.task == 2))


def found_for(query: Query) -> set[str]:
    """Return the checks that find something about this very query."""
    domain = with_twin(query)
    swap = tuple(query if each.id == query.id else each for each in domain.queries)
    mutated = Domain(EMAIL.library, tuple(q for q in swap if q.task == 1), tuple(q for q in swap if q.task == 2))
    return {finding.check for finding in query_findings(mutated, TEMPLATES, READER) if finding.where == query.id}


def relabelled(query: Query, **changes: object) -> Query:
    """Return the query with another label."""
    assert isinstance(query.label, SkillLabel | ToolLabel)
    return replace(query, label=replace(query.label, **changes))  # type: ignore[arg-type]


def plain_low(query: Query) -> bool:
    """Tell whether the best tools are below the highest level and need no look-up."""
    return isinstance(query.label, ToolLabel) and query.label.level in (1, 2) and len(query.label.optimal[0]) == 1


class Queries(unittest.TestCase):
    def check(self, code: str, query: Query, change: Change) -> None:
        self.assertEqual(found_for(query), set(), "the query is not clean to begin with")
        self.assertIn(code, found_for(change(query)))

    def test_v1_a_skill_that_does_not_suffice(self) -> None:
        query = first(1, Setting.CLEAN, lambda q: q.label.level == 2)
        self.check("V1", query, lambda q: relabelled(q, skill="folder-pulse", level=0))

    def test_v1_tools_that_do_not_suffice(self) -> None:
        query = first(2, Setting.CONVENIENCE)
        self.check("V1", query, lambda q: relabelled(q, optimal=(("count_items",),)))

    def test_v1_tools_that_the_skill_does_not_allow(self) -> None:
        query = first(2, Setting.CLEAN, plain_low)
        self.check("V1", query, lambda q: relabelled(q, optimal=(q.label.broader,)))  # type: ignore[union-attr]

    def test_v2_a_sufficient_but_broader_skill(self) -> None:
        query = first(1, Setting.CLEAN, lambda q: q.label.level == 0)
        self.check("V2", query, lambda q: relabelled(q, skill=q.label.sufficient[-1]))  # type: ignore[union-attr]

    def test_v2_a_padded_tool_set(self) -> None:
        query = first(2, Setting.CLEAN, plain_low)
        self.check("V2", query, lambda q: relabelled(q, optimal=((*q.label.optimal[0], "list_folders"),)))  # type: ignore[union-attr]

    def test_v2_an_optimum_that_is_left_out(self) -> None:
        query = first(2, Setting.CLEAN, lambda q: isinstance(q.label, ToolLabel) and len(q.label.optimal) > 1)
        self.check("V2", query, lambda q: relabelled(q, optimal=q.label.optimal[:1]))  # type: ignore[union-attr]

    def test_v2_a_level_that_is_asserted(self) -> None:
        self.check("V2", first(1, Setting.SCOPE), lambda q: relabelled(q, level=(q.label.level + 1) % 5))

    def test_v2_a_goal_everywhere_that_narrower_tools_could_reach(self) -> None:
        query = first(2, Setting.CLEAN, lambda q: q.goals[0].atom == "flag.message")
        self.check("V2", query, lambda q: replace(q, goals=(Goal("flag.message", Scope.ALL),)))

    def test_v3_no_broader_tools(self) -> None:
        self.check("V3", first(2, Setting.CLEAN, plain_low), lambda q: relabelled(q, broader=()))

    def test_v3_a_convenience_query_that_names_its_target(self) -> None:
        self.check("V3", first(2, Setting.CONVENIENCE), lambda q: replace(q, omitted=()))

    def test_v3_a_wish_that_the_skill_grants(self) -> None:
        self.check("V3", first(2, Setting.BOUNDARY), lambda q: replace(q, wish=q.goals[0]))
        self.check("V3", first(2, Setting.BOUNDARY), lambda q: replace(q, wish=None))

    def test_v3_an_action_query_without_another_action(self) -> None:
        self.check("V3", first(1, Setting.ACTION), lambda q: replace(q, tempting=None))
        self.check("V3", first(1, Setting.ACTION), lambda q: replace(q, tempting=q.goals[0].atom))

    def test_v3_a_broad_query_with_one_target(self) -> None:
        query = first(2, Setting.BROAD, lambda q: len(q.goals) == 1)
        self.check("V3", query, lambda q: replace(q, goals=(replace(q.goals[0], count=1),)))

    def test_v4_privilege_words_and_names(self) -> None:
        query = first(1, Setting.CLEAN)
        for more in ("I have full access.", "Use the admin view.", "Mind the permissions.", "Do it in bulk."):
            with self.subTest(more):
                self.check("V4", query, lambda q, more=more: replace(q, text=f"{q.text} {more}"))  # type: ignore[misc]
        for more in ("Take letter-lens.", "Use flag_message for that.", "A letter lens would do."):
            with self.subTest(more):
                self.check("V4", query, lambda q, more=more: replace(q, text=f"{q.text} {more}"))  # type: ignore[misc]

    def test_v5_names_that_do_not_exist(self) -> None:
        self.check("V5", first(1, Setting.CLEAN), lambda q: relabelled(q, skill="letter-opener"))
        self.check("V5", first(2, Setting.CLEAN), lambda q: relabelled(q, optimal=(("flag_mesage",),)))
        self.check("V5", first(2, Setting.CLEAN), lambda q: replace(q, skill="letter-opener"))
        self.check("V5", first(2, Setting.CLEAN), lambda q: replace(q, template="cb-none-1"))
        self.check("V5", first(2, Setting.BROAD), lambda q: replace(q, twin="email-t2-cb-999"))

    def test_v6_broken_text(self) -> None:
        query = first(1, Setting.CLEAN)
        changes: tuple[Callable[[str], str], ...] = (
            lambda text: text.rstrip(".!?"),
            lambda text: text[0].lower() + text[1:],
            lambda text: text + " And and more.",
            lambda text: text + " It is a apple.",
            lambda text: text + " {message} too.",
            lambda text: text + " Thanks !",
            lambda text: text + "  Thanks.",
            lambda text: text + ' "Thanks.',
            lambda text: text + " thanks a lot.",
            lambda text: text + " So i say.",
        )
        for change in changes:
            text = change(query.text)
            with self.subTest(text):
                self.check("V6", query, lambda q, text=text: replace(q, text=text))  # type: ignore[misc]

    def test_v7_a_text_that_asks_for_something_else(self) -> None:
        query = first(1, Setting.CLEAN)
        self.check("V7", query, lambda q: replace(q, text="Please delete the email about the fence."))
        self.check("V7", query, lambda q: replace(q, text="Good morning. Thank you for everything."))

    def test_v9_a_twin_with_other_values(self) -> None:
        query = first(2, Setting.CONVENIENCE)
        self.check("V9", query, lambda q: replace(q, slots={"message": ("Another one",)}))


class Domains(unittest.TestCase):
    """Faults that only show in a whole domain."""

    def found(self, task1: tuple[Query, ...], task2: tuple[Query, ...]) -> list[Finding]:
        domain = Domain(EMAIL.library, task1, task2)
        return [f for f in query_findings(domain, TEMPLATES, READER) if f.check in WHOLE_DOMAIN]

    def test_v8_a_near_duplicate(self) -> None:
        one = EMAIL.task1[0]
        twice = replace(one, id="email-t1-cb-999", text=one.text.replace("?", ", please?"), core="other/imp.1")
        messages = [str(finding) for finding in self.found((one, twice), ()) if finding.check == "V8"]
        self.assertTrue(any("as good as" in message for message in messages), messages)

    def test_v8_the_same_goal_values_and_core_phrase(self) -> None:
        one = EMAIL.task1[0]
        again = replace(one, id="email-t1-cb-999", text="Something that reads quite otherwise, thank you.")
        messages = [str(finding) for finding in self.found((one, again), ()) if finding.check == "V8"]
        self.assertTrue(any("core phrase" in message for message in messages), messages)

    def test_v8_a_poor_vocabulary(self) -> None:
        messages = [str(finding) for finding in self.found(EMAIL.task1[:40], ()) if finding.check == "V8"]
        self.assertTrue(any("vocabulary" in message for message in messages), messages)

    def test_v9_a_missing_query(self) -> None:
        found = self.found(EMAIL.task1[1:], EMAIL.task2)
        self.assertIn("task 1: expected 40 clean_baseline, found 39", [finding.message for finding in found])

    def test_v9_an_unbalanced_task(self) -> None:
        favourite = tuple(q for q in EMAIL.task1 if isinstance(q.label, SkillLabel) and q.label.skill == "folder-pulse")
        found = self.found(favourite, EMAIL.task2)
        self.assertIn("letter-lens", [finding.where for finding in found if finding.check == "V9"])

    def test_v9_a_template_that_is_used_too_often(self) -> None:
        queries = tuple(replace(query, template="cb-terse-1") for query in EMAIL.task1[:20])
        found = self.found(queries + EMAIL.task1[20:], EMAIL.task2)
        self.assertIn("template cb-terse-1", [finding.where for finding in found if finding.check == "V9"])

    def test_v11_labels_that_a_word_count_gives_away(self) -> None:
        """Queries that repeat the description of their skill are solved by BM25."""
        library = EMAIL.library
        given = tuple(
            replace(query, text=library.skills[query.label.skill].description)
            for query in EMAIL.task1
            if isinstance(query.label, SkillLabel)
        )
        found = [finding.message for finding in self.found(given, EMAIL.task2) if finding.check == "V11"]
        self.assertTrue(any("BM25" in message for message in found), found)


class Libraries(unittest.TestCase):
    def setUp(self) -> None:
        self.library, self.lexicon = load_library("email"), load_lexicon("email")

    def codes(self, **changes: object) -> set[tuple[str, str]]:
        library = replace(self.library, **changes)  # type: ignore[arg-type]
        return {(finding.check, finding.where) for finding in library_findings(library, self.lexicon)}

    def skills(self, name: str, **changes: object) -> dict[str, object]:
        return {**self.library.skills, name: replace(self.library.skills[name], **changes)}  # type: ignore[arg-type]

    def tools(self, name: str, **changes: object) -> dict[str, object]:
        return {**self.library.tools, name: replace(self.library.tools[name], **changes)}  # type: ignore[arg-type]

    def test_the_library_is_clean_to_begin_with(self) -> None:
        self.assertEqual(self.codes(), set())

    def test_prose_that_says_more_than_the_grants(self) -> None:
        skill = self.library.skills["letter-lens"]
        more = skill.description + " Deletes a single message."
        self.assertIn(
            ("prose", "skill letter-lens, description"), self.codes(skills=self.skills("letter-lens", description=more))
        )
        body = skill.body + "\nIt can also forward things.\n"
        self.assertIn(("prose", "skill letter-lens, body"), self.codes(skills=self.skills("letter-lens", body=body)))

    def test_prose_that_says_less_than_the_grants(self) -> None:
        grants = {**self.library.skills["letter-lens"].grants, "flag.message": Scope.ONE}
        codes = self.codes(skills=self.skills("letter-lens", grants=grants))
        self.assertIn(("prose", "skill letter-lens, description"), codes)
        self.assertIn(("prose", "skill letter-lens, `What it does`"), codes)

    def test_prose_that_plays_down_the_reach(self) -> None:
        grants = {**self.library.skills["letter-lens"].grants, "read.message": Scope.ALL}
        self.assertIn(
            ("prose", "skill letter-lens, description"), self.codes(skills=self.skills("letter-lens", grants=grants))
        )

    def test_a_tool_with_an_effect_that_its_doc_hides(self) -> None:
        tools = self.tools("peek_message", effects=(Reach("mark.message", Scope.ONE),))
        self.assertIn(("prose", "tool peek_message"), self.codes(tools=tools))

    def test_v5_an_act_that_no_tool_provides(self) -> None:
        tools = {
            name: tool for name, tool in self.library.tools.items() if name not in ("mute_thread", "quiet_senders")
        }
        self.assertIn(("V5", "world.json"), self.codes(tools=tools))

    def test_v9_a_tool_too_few(self) -> None:
        tools = {name: tool for name, tool in self.library.tools.items() if name != "pin_message"}
        self.assertIn(("V9", "tools.json"), self.codes(tools=tools))

    def test_v10_lengths_that_go_with_the_level(self) -> None:
        name = "office-helper"
        longer = self.library.skills[name].description * 3
        self.assertIn(("V10", "email"), self.codes(skills=self.skills(name, description=longer)))

    def test_v10_names_that_speak_of_a_level(self) -> None:
        tools = dict(self.library.tools)
        tools["admin_mail"] = replace(tools.pop("clear_out"), name="admin_mail")
        self.assertIn(("V10", "tools"), self.codes(tools=tools))

    def test_v8_and_v9_of_phrases(self) -> None:
        book = load_phrasebook("email")
        self.assertEqual(list(phrasebook_findings(self.library, book)), [])
        poor = replace(book, banks={**book.banks, "day": book.banks["day"][:19]})
        self.assertEqual({f.check for f in phrasebook_findings(self.library, poor)}, {"V8"})
        mute = replace(book, templates=tuple(t for t in book.templates if t.register != "formal"))
        self.assertEqual({f.check for f in phrasebook_findings(self.library, mute)}, {"V9"})
        bare = replace(book, lures=tuple(lure for lure in book.lures if lure.setting != Setting.ACTION))
        self.assertEqual({f.check for f in phrasebook_findings(self.library, bare)}, {"V9"})


class Stored(unittest.TestCase):
    def test_a_review_sheet_that_is_missing_stale_or_unfinished(self) -> None:
        query = EMAIL.task1[0]
        head = ",".join(COLUMNS)
        for rows, message in (
            (None, "is missing"),
            ([[query.id, query.text + " Thanks.", "", "yes", "yes", "yes", ""]], "must be read again"),
            ([[query.id, query.text, "", "yes", "", "yes", ""]], "lacks a verdict"),
            ([[query.id, query.text, "", "yes", "no", "yes", "why"]], None),
        ):
            with self.subTest(message), TemporaryDirectory() as folder:
                if rows is not None:
                    lines = [head, *(",".join(f'"{cell}"' for cell in row) for row in rows)]
                    Path(folder, "email.csv").write_text("\n".join(lines), encoding="utf-8")
                found = [str(finding) for finding in review_findings(EMAIL, Path(folder))]
                self.assertEqual(len(found), 0 if message is None else 1)
                self.assertTrue(message is None or message in found[0], found)

    def test_a_level_in_the_lock_that_is_not_the_computed_one(self) -> None:
        lock = built_lock().replace('"letter-lens": 1', '"letter-lens": 0')
        with TemporaryDirectory() as folder:
            path = Path(folder, "email-lock.json")
            path.write_text(lock, encoding="utf-8")
            found = list(lock_findings(load_library("email"), Path(folder)))
        self.assertEqual([(finding.check, finding.where) for finding in found], [("lock", "skills letter-lens")])

    def test_a_stored_file_that_was_edited_by_hand(self) -> None:
        files = Built({"a.jsonl": "one\n", "b.jsonl": "two\n"})
        with TemporaryDirectory() as folder:
            files.write(Path(folder))
            self.assertEqual(files.differences(Path(folder)), ())
            Path(folder, "b.jsonl").write_text("two\r\n", encoding="utf-8", newline="")
            Path(folder, "a.jsonl").unlink()
            self.assertEqual([finding.where for finding in files.differences(Path(folder))], ["a.jsonl", "b.jsonl"])

    def test_the_email_domain_is_clean_and_is_what_its_files_give(self) -> None:
        from evals.fortis.reading import DATA

        self.assertEqual(findings("email"), ())
        self.assertEqual(built("email").differences(DATA), ())

    def test_every_check_has_a_meaning(self) -> None:
        self.assertEqual(set(CHECKS), {*(f"V{number}" for number in range(1, 12)), "prose", "lock", "review", "build"})


def built_lock() -> str:
    """Return the stored lock of the email domain."""
    from evals.fortis.reading import DATA

    return (DATA / "email-lock.json").read_text(encoding="utf-8")
