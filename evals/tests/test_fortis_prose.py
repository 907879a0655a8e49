"""Controlled prose, query texts and phrases: what they say and whether they are well formed."""

import unittest

from evals.fortis.grammar import Reference, Value
from evals.fortis.model import Atom, Effect, Scope
from evals.fortis.phrasing import agreement, joined, noun, sentences
from evals.fortis.prose import Lexicon, compare, section
from evals.fortis.recovery import Reader
from evals.fortis.wording import bigrams, faults, jaccard, names_within, privilege_words, trigrams

ONE, FEW, CONTAINER, ALL = Scope
LEXICON = Lexicon(
    {"list": ["lists", "list"], "read": ["reads", "read"], "flag": ["flags", "flag"], "move": ["moves", "move"]},
    {"message": ["message", "messages"], "folder": ["folder", "folders"]},
    {
        ONE: ["one", "a single"],
        FEW: ["several named"],
        CONTAINER: ["of a folder", "of an account"],
        ALL: ["everywhere"],
    },
    {
        name: Atom(name, Effect(effect), "")
        for name, effect in (("list.message", 0), ("list.folder", 0), ("read.message", 1), ("flag.message", 2))
    },
)


class ControlledProse(unittest.TestCase):
    def test_a_text_that_says_what_is_declared_has_no_fault(self) -> None:
        for text, declared in (
            ("Lists the messages of a folder.", {"list.message": CONTAINER}),
            (
                "Lists the messages of a folder; reads or flags one message.",
                {"list.message": CONTAINER, "read.message": ONE, "flag.message": ONE},
            ),
            ("Lists folders and messages everywhere.", {"list.folder": ALL, "list.message": ALL}),
            (
                "Reads a single message, and lists the folders of an account.",
                {"read.message": CONTAINER, "list.folder": CONTAINER},
            ),
            ("- Lists the folders of an account\n- Reads one message", {"list.folder": CONTAINER, "read.message": ONE}),
        ):
            with self.subTest(text):
                self.assertEqual(compare(text, LEXICON, declared), [])

    def test_every_difference_is_a_fault(self) -> None:
        both = {"list.message": CONTAINER, "read.message": ONE}
        for text, declared, fault in (
            ("Lists the messages of a folder.", both, "does not say `read.message`"),
            ("Lists the messages of a folder; reads one message.", {"list.message": CONTAINER}, "says `read.message`"),
            ("Reads messages everywhere.", {"read.message": ONE}, "at scope all"),
            ("Reads messages.", {"read.message": ONE}, "states no reach"),
            ("Reads one message. You may also move it.", {"read.message": ONE}, "speaks of `move`"),
        ):
            with self.subTest(text):
                self.assertTrue(any(fault in found for found in compare(text, LEXICON, declared)))

    def test_a_verb_takes_its_first_object_and_not_the_one_after_a_preposition(self) -> None:
        self.assertEqual(compare("Lists the messages of one folder everywhere.", LEXICON, {"list.message": ALL}), [])

    def test_a_section_ends_at_the_next_heading(self) -> None:
        body = "# Title\n\n## What it does\n\n- a\n\n## How to work\n\n1. b\n"
        self.assertEqual(section(body, "What it does").strip(), "- a")
        self.assertEqual(section(body, "Where"), "")


class QueryTexts(unittest.TestCase):
    def test_privilege_words_are_found_and_their_lookalikes_are_not(self) -> None:
        for text in (
            "Give me full control.",
            "an Admin view",
            "in bulk",
            "batch them",
            "with elevated rights",
            "grant it",
        ):
            with self.subTest(text):
                self.assertTrue(privilege_words(text))
        for text in ("Buy two accessories.", "the stool in the hall", "my grandad", "rooted plants", "the whole lot"):
            with self.subTest(text):
                self.assertEqual(privilege_words(text), [])

    def test_names_are_found_as_written_and_as_spoken(self) -> None:
        names = ("letter-lens", "flag_message")
        for text, found in (
            ("Use letter-lens.", ["letter-lens"]),
            ("A letter lens, please.", ["letter-lens"]),
            ("Flag message two.", ["flag_message"]),
            ("Flag the message.", []),
            ("The letter is under the lens.", []),
        ):
            with self.subTest(text):
                self.assertEqual(names_within(text, names), found)

    def test_well_formed_texts_have_no_faults(self) -> None:
        for text in (
            'Who has "Who has the key?" now?',
            '"Plum cake" flagged, please.',
            'I\'d like the file a.pdf from "Offer".',
            "Use a unit and an hour, e-mail me at 5.30!",
            "Write to teddy@home.example.",
        ):
            with self.subTest(text):
                self.assertEqual(faults(text), [])

    def test_each_fault_is_named(self) -> None:
        for text, fault in (
            ("Take {it}.", "empty slot"),
            ("Take the the book.", "doubles"),
            ("Take  it.", "white space"),
            ("Take it , now.", "punctuation"),
            ("Take a apple.", "article"),
            ("Take it and i go.", "small i"),
            ("Take it. then go.", "begins small"),
            ("Please take it, please.", "please twice"),
            ("Take it", "end mark"),
            ("take it.", "begins small"),
            ('Take "it.', "quotation"),
        ):
            with self.subTest(text):
                self.assertTrue(any(fault in found for found in faults(text)), faults(text))

    def test_likeness_is_the_share_of_common_3_grams(self) -> None:
        one, other = trigrams("a b c d"), trigrams("A b c, e!")
        self.assertEqual(jaccard(one, other), 1 / 3)
        self.assertEqual(jaccard(trigrams("a b"), trigrams("a b")), 0.0)
        self.assertEqual(bigrams("It is it."), [("it", "is"), ("is", "it")])


class Phrases(unittest.TestCase):
    BOOK = Reference(("the book {name}",), ("the books {names}",), '"{name}"', (), personal=False, handle="book")
    PERSON = Reference(("{name}",), (), "{name}", (), personal=True, handle=None)

    def test_several_values_become_a_list(self) -> None:
        values = [Value(name, {"name": name}) for name in ("Emma", "Ulysses, vol. 2", "Ivanhoe")]
        self.assertEqual(
            noun("the books {names}", values, self.BOOK), 'the books "Emma", "Ulysses, vol. 2" and "Ivanhoe"'
        )
        self.assertEqual(noun("the book {name}", values[:1], self.BOOK), "the book Emma")

    def test_clauses_are_joined_with_a_comma_and_short_phrases_without(self) -> None:
        self.assertEqual(joined(["flag it", "pin it"]), "flag it and pin it")
        self.assertEqual(joined(["say that it fits", "pin it"]), "say that it fits, and pin it")

    def test_pronouns_agree_with_number_and_person(self) -> None:
        self.assertEqual(agreement(1, self.BOOK)["it"], "it")
        self.assertEqual(agreement(3, self.BOOK)["it"], "them")
        self.assertEqual((agreement(1, self.PERSON)["it"], agreement(1, self.PERSON)["its"]), ("them", "their"))

    def test_sentences_begin_with_capitals_and_names_keep_their_marks(self) -> None:
        for raw, text in (
            ("hi there, could you go? thanks.", "Hi there, could you go? Thanks."),
            ('keep "Who goes?" at the top.', 'Keep "Who goes?" at the top.'),
            ("Falk & Partners's note", "Falk & Partners' note"),
            ("my boss's place", "My boss's place"),
            ("go ! now .", "Go! Now."),
            ("write to me .example", "Write to me .example"),
        ):
            with self.subTest(raw):
                self.assertEqual(sentences(raw), text)


class IndependentReader(unittest.TestCase):
    def test_quoted_names_and_asides_do_not_count(self) -> None:
        reader = Reader([r"[^.!?]*\bmyself\b[^.!?]*"], {"flag": [r"\bflag\b"], "delete": [r"\bdelete\b"]})
        for text, atoms in (
            ("Flag it.", {"flag"}),
            ('Flag "delete this".', {"flag"}),
            ("Flag it. I'll delete it myself.", {"flag"}),
            ("Flag it and delete it.", {"flag", "delete"}),
            ("Hello.", set()),
        ):
            with self.subTest(text):
                self.assertEqual(reader.atoms(text), atoms)
