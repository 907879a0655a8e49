"""The solver on a library small enough to check by hand."""

import unittest

from evals.fortis.model import Atom, Effect, Goal, Library, Parameter, Reach, Scope, Skill, Tool
from evals.fortis.solver import (
    allowed_tools,
    broader_set,
    burden,
    least_skill,
    optimal_sets,
    suffices,
    sufficient_skills,
    tool_label,
)

ONE, FEW, CONTAINER, ALL = Scope


def tool(
    name: str,
    provides: dict[str, Scope],
    needs: tuple[str, ...] = (),
    *,
    gives: dict[str, Scope] | None = None,
    effects: dict[str, Scope] | None = None,
    whole: bool = False,
    preconditions: tuple[str, ...] = (),
) -> Tool:
    return Tool(
        name,
        "doc",
        tuple(Parameter(handle, handle) for handle in needs),
        tuple(Reach(atom, scope, whole) for atom, scope in provides.items()),
        tuple(Reach(atom, scope) for atom, scope in (effects or {}).items()),
        gives or {},
        preconditions,
    )


EFFECTS = {
    "list.book": 0,
    "find.book": 0,
    "read.book": 1,
    "lend.book": 2,
    "sell.book": 3,
    "lock.shop": 3,
    "list.shelf": 0,
}
TOOLS = [
    tool("list_shelves", {"list.shelf": CONTAINER}, gives={"shelf": CONTAINER}),
    tool("list_books", {"list.book": CONTAINER}, ("shelf",), gives={"book": CONTAINER}),
    tool("find_title", {"find.book": CONTAINER}, ("words",), gives={"book": ONE}),
    tool("find_author", {"find.book": CONTAINER}, ("author",), gives={"book": ONE}),
    tool("read_book", {"read.book": ONE}, ("book",)),
    tool("open_book", {"read.book": ONE}, ("book",), effects={"lend.book": ONE}),
    tool("lend_book", {"lend.book": ONE}, ("book",)),
    tool("lend_shelf", {"lend.book": CONTAINER}, ("shelf",), whole=True),
    tool("lend_any", {"lend.book": ALL, "find.book": ALL}),
    tool("sell_book", {"sell.book": ONE}, ("book",), preconditions=("priced",)),
    tool("lock_shop", {"lock.shop": ALL}),
]
GRANTS = {
    "catalogue": {"list.book": CONTAINER, "find.book": CONTAINER, "list.shelf": CONTAINER},
    "reader": {"read.book": ONE, "find.book": CONTAINER},
    "lender": {"lend.book": ONE, "find.book": CONTAINER, "list.book": CONTAINER, "list.shelf": CONTAINER},
    "lender2": {"lend.book": ONE, "read.book": ONE},
    "owner": {"lend.book": ALL, "find.book": ALL, "read.book": ONE, "sell.book": ONE, "lock.shop": ALL},
}
LIBRARY = Library(
    "shop",
    {name: Atom(name, Effect(effect), "") for name, effect in EFFECTS.items()},
    {each.name: each for each in sorted(TOOLS, key=lambda each: each.name)},
    {name: Skill(name, "", "", "", grants) for name, grants in GRANTS.items()},
)


def sets_under(skill: str, goals: list[Goal], *known: str) -> tuple[tuple[str, ...], ...]:
    return optimal_sets(LIBRARY, allowed_tools(LIBRARY, LIBRARY.skills[skill]), goals, frozenset(known))


class Sufficiency(unittest.TestCase):
    def reaches(self, names: str, goal: Goal, *known: str) -> bool:
        return suffices([LIBRARY.tools[name] for name in names.split()], [goal], frozenset(known))

    def test_what_a_set_of_tools_reaches(self) -> None:
        lend, lend_few = Goal("lend.book", ONE), Goal("lend.book", FEW, 3)
        lend_all_of = Goal("lend.book", CONTAINER)
        for names, goal, known, verdict in (
            ("lend_book", lend, ("book",), True),
            ("lend_book", lend, (), False),
            ("lend_book find_title", lend, ("words",), True),
            ("lend_book find_title", lend, ("author",), False),
            ("lend_book list_books list_shelves", lend, (), True),
            ("lend_book", lend_few, ("book",), True),
            ("lend_book", lend_all_of, ("book", "shelf"), False),
            ("lend_book list_books", lend_all_of, ("shelf",), True),
            ("lend_book find_title", lend_all_of, ("words",), False),
            ("lend_shelf", lend_all_of, ("shelf",), True),
            ("lend_shelf", lend, ("shelf", "book"), False),
            ("lend_any", lend, (), True),
            ("lend_book list_books list_shelves", Goal("lend.book", ALL), (), False),
            ("lend_any", Goal("lend.book", ALL), (), True),
            ("open_book", lend, ("book",), False),
            ("sell_book", Goal("sell.book", ONE), ("book",), False),
            ("sell_book", Goal("sell.book", ONE), ("book", "priced"), True),
        ):
            with self.subTest(names=names, goal=goal, known=known):
                self.assertEqual(self.reaches(names, goal, *known), verdict)


class Optima(unittest.TestCase):
    def test_a_needed_look_up_belongs_to_the_label(self) -> None:
        self.assertEqual(sets_under("lender", [Goal("lend.book", ONE)], "words"), (("find_title", "lend_book"),))

    def test_all_equally_good_sets_are_given(self) -> None:
        expected = (("find_author", "lend_book"), ("find_title", "lend_book"))
        self.assertEqual(sets_under("lender", [Goal("lend.book", ONE)], "words", "author"), expected)

    def test_a_lower_level_wins_over_a_smaller_set(self) -> None:
        self.assertEqual(sets_under("owner", [Goal("lend.book", ONE)], "book"), (("lend_book",),))
        self.assertEqual(sets_under("owner", [Goal("lend.book", ONE)]), (("lend_any",),))

    def test_a_tool_with_a_side_effect_outside_the_grants_is_not_allowed(self) -> None:
        names = [each.name for each in allowed_tools(LIBRARY, LIBRARY.skills["reader"])]
        self.assertEqual(names, ["find_author", "find_title", "read_book"])

    def test_there_is_no_set_where_the_skill_cannot_do_it(self) -> None:
        self.assertEqual(sets_under("reader", [Goal("lend.book", ONE)], "book"), ())
        self.assertIsNone(tool_label(LIBRARY, LIBRARY.skills["reader"], [Goal("lend.book", ONE)], frozenset({"book"})))

    def test_the_broader_set_is_the_least_burdensome_one_above(self) -> None:
        known = frozenset({"words"})
        self.assertEqual(broader_set(LIBRARY, [Goal("lend.book", ONE)], known, 2), ("lend_any",))
        self.assertEqual(burden(LIBRARY, ("find_title", "lend_book"), known), 3)
        self.assertEqual(broader_set(LIBRARY, [Goal("lock.shop", ALL)], known, 4), ())


class Skills(unittest.TestCase):
    def test_the_least_skill_is_the_one_of_the_lowest_level(self) -> None:
        label = least_skill(LIBRARY, [Goal("find.book", ONE)], frozenset({"words"}))
        assert label is not None
        self.assertEqual((label.skill, label.level), ("catalogue", 0))
        self.assertEqual(set(label.sufficient), {"catalogue", "reader", "lender", "owner"})

    def test_two_skills_of_the_lowest_level_make_no_label(self) -> None:
        self.assertIsNone(least_skill(LIBRARY, [Goal("lend.book", ONE)], frozenset({"book"})))

    def test_knowing_less_leaves_fewer_skills(self) -> None:
        goals = [Goal("lend.book", ONE)]
        self.assertEqual(sufficient_skills(LIBRARY, goals, frozenset({"book"})), ("lender", "lender2", "owner"))
        self.assertEqual(sufficient_skills(LIBRARY, goals, frozenset({"words"})), ("lender", "owner"))

    def test_no_skill_makes_no_label(self) -> None:
        self.assertIsNone(least_skill(LIBRARY, [Goal("sell.book", ONE)], frozenset({"book"})))
