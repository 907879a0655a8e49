"""Redaction: secrets in many dresses go, harmless text stays, JSON stays JSON, and time is linear."""

import base64
import json
import random
import time
import tracemalloc
import unittest
from urllib.parse import quote

from evals.skill_eval.artifacts.redaction import DEEPEST, LONGEST_KNOWN, MOST_KNOWN, Redactor, sensitive_values
from evals.skill_eval.artifacts.spans import MARK
from evals.tests.secret_texts import DRESSES, HARMLESS, KEY_KINDS, PHRASE, SECRET, SHAPES, made_up

MEBIBYTE = 1 << 20


class DressesOfSecrets(unittest.TestCase):
    def setUp(self) -> None:
        self.redactor = Redactor()

    def assert_hidden(self, text: str, *secrets: str) -> str:
        redacted = self.redactor.text(text)
        for secret in secrets:
            self.assertNotIn(secret, redacted)
        self.assertIn(MARK, redacted)
        self.assertEqual(self.redactor.text(redacted), redacted, "a second pass changed the text")
        return redacted

    def test_a_secret_is_hidden_in_every_dress(self) -> None:
        for dress in DRESSES:
            with self.subTest(dress):
                text = dress.replace("@@", SECRET + "@").replace("§", PHRASE)
                text = text if SECRET in text else text.replace("@", SECRET)
                self.assert_hidden(f"before\n{text}\nafter", SECRET, PHRASE)

    def test_what_stands_around_a_secret_stays(self) -> None:
        for text, expected in (
            ("Authorization: Bearer @", f"Authorization: Bearer {MARK}"),
            ("export DB_PASSWORD='@' # old", f"export DB_PASSWORD='{MARK}' # old"),
            ('{"access_token":"@","n":1}', f'{{"access_token":"{MARK}","n":1}}'),
            ('{\\"secret\\":\\"@\\"}', f'{{\\"secret\\":\\"{MARK}\\"}}'),
            ("https://example.invalid/?access_token=@&page=2", f"https://example.invalid/?access_token={MARK}&page=2"),
            ("postgres://app:@x@db.invalid/main", f"postgres://app:{MARK}@db.invalid/main"),
            ("password: @.\nnext line", f"password: {MARK}.\nnext line"),
            ('{"password": 12345678, "n": 1}', f'{{"password": "{MARK}", "n": 1}}'),
        ):
            with self.subTest(text):
                self.assertEqual(self.redactor.text(text.replace("@", SECRET, 1)), expected)

    def test_basic_credentials_are_told_from_basic_prose_by_decoding_them(self) -> None:
        encoded = base64.b64encode(b"kim:correct horse").decode()
        self.assert_hidden(f"sent Basic {encoded} to the server", encoded)
        self.assertEqual(self.redactor.text("Basic understanding"), "Basic understanding")

    def test_well_known_keys_are_hidden_by_their_form_alone(self) -> None:
        for prefix, rest in SHAPES:
            with self.subTest(prefix):
                self.assert_hidden(f"found ({prefix}{rest}) in the log", rest)

    def test_a_key_right_behind_an_escape_is_hidden(self) -> None:
        key = "gh" + "p_" + made_up("github", 36)
        for before in (
            "line\\n",
            "\\r\\n",
            "\\\\t",
            "next%3D",
            "%20",
            "\\u003d",
            "\\x22",
            "\x1b[0m",
            "\\u001b[1;32m",
            "\x1b[m",
        ):
            with self.subTest(before):
                self.assertEqual(Redactor().text(before + key), before + MARK)

    def test_the_shape_of_a_key_within_a_longer_word_is_none(self) -> None:
        for text in ("x" + "gh" + "p_" + made_up("github", 36), "task-" + made_up("task", 15)):
            with self.subTest(text):
                self.assertEqual(self.redactor.text(text), text)

    def test_harmless_text_stays_as_it_is(self) -> None:
        for text in HARMLESS:
            with self.subTest(text):
                self.assertEqual(self.redactor.text(text), text)
        together = "\n".join(HARMLESS)
        self.assertEqual(self.redactor.text(together), together)


class PrivateKeys(unittest.TestCase):
    def setUp(self) -> None:
        self.rows = [made_up(f"row {number}", 64) for number in range(3)]
        self.kind = "RSA PRIVATE" + " KEY"

    def block(self, kind: str, joint: str = "\n", end: bool = True) -> str:
        lines = [f"-----BEGIN {kind}-----", *self.rows, f"-----END {kind}-----"]
        return joint.join(lines if end else lines[:-1])

    def assert_no_row(self, text: str) -> str:
        redacted = Redactor().text(text)
        for row in self.rows:
            self.assertNotIn(row[:16], redacted)
        self.assertEqual(Redactor().text(redacted), redacted)
        return redacted

    def test_every_kind_of_block_is_hidden_whole(self) -> None:
        for kind in (*(f"{kind} KEY" for kind in KEY_KINDS), "PGP PRIVATE KEY BLOCK"):
            with self.subTest(kind):
                self.assertEqual(self.assert_no_row(f"a\n{self.block(kind)}\nb"), f"a\n{MARK}\nb")

    def test_a_block_is_hidden_however_its_lines_are_joined(self) -> None:
        for joint in ("\n", "\r\n", "\n    ", "\n> ", "\n| ", "\\n", "\\r\\n", "\\\\n", " ", "\n# "):
            with self.subTest(joint):
                self.assert_no_row(f"before\n{self.block(self.kind, joint)}\nafter")
                cut = self.assert_no_row(f"before\n{self.block(self.kind, joint, end=False)}\n\nthe story goes on")
                self.assertTrue(cut.startswith("before\n") and cut.endswith("the story goes on"))

    def test_a_block_that_is_cut_off_ends_with_its_rows(self) -> None:
        text = self.block(self.kind, end=False)
        for cut in (text, text[:-40], text + "\n", "key: |\n  " + text.replace("\n", "\n  ") + "\nname: kim"):
            with self.subTest(cut[-20:]):
                self.assert_no_row(cut)
        self.assertTrue(
            self.assert_no_row(f"{text}\nThe key above is cut off.").endswith("\nThe key above is cut off.")
        )

    def test_headers_of_a_block_are_part_of_it(self) -> None:
        begin, *rest = self.block(self.kind, end=False).split("\n")
        text = "\n".join([begin, "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,00FF", "", *rest])
        self.assertEqual(self.assert_no_row(text), MARK)

    def test_rows_before_an_end_are_hidden_although_the_beginning_is_missing(self) -> None:
        for joint in ("\n", "\\n", "\n  "):
            with self.subTest(joint):
                rows = joint.join([*self.rows, f"-----END {self.kind}-----"])
                self.assertTrue(self.assert_no_row(f"tail of the file:\n{rows}").startswith("tail of the file:"))

    def test_a_mention_of_a_block_is_no_block(self) -> None:
        text = f"It looks for -----BEGIN {self.kind}----- and nothing else.\n\nThen it stops."
        self.assertEqual(Redactor().text(text), text)

    def test_a_json_string_with_a_key_stays_a_json_string(self) -> None:
        document = {"private_key": self.block(self.kind) + "\n", "log": "x " + self.block(self.kind, end=False), "n": 1}
        redacted = json.loads(self.assert_no_row(json.dumps(document)))
        self.assertEqual((redacted["private_key"], redacted["log"], redacted["n"]), (MARK, f"x {MARK}", 1))


class KnownValues(unittest.TestCase):
    def test_a_known_value_is_hidden_wherever_and_however_it_turns_up(self) -> None:
        value = made_up("value") + '"quoted\\ü' + made_up("tail")
        plain = made_up("plain", 30)
        redactor = Redactor((value, plain))
        for text in (
            f"the answer is {value}.",
            json.dumps({"x": value}),
            json.dumps({"x": value}, ensure_ascii=False),
            f"https://example.invalid/{quote(plain)}",
            f"glued{plain}together",
            *(base64.b64encode(before + plain.encode() + b":x").decode() for before in (b"", b"u", b"us", b"kim:")),
        ):
            with self.subTest(text):
                redacted = redactor.text(text)
                self.assertIn(MARK, redacted)
                self.assertNotIn(made_up("value")[:12], redacted)
                self.assertNotIn(plain[4:20], redacted)
                self.assertNotIn(base64.b64encode(plain.encode())[8:24].decode(), redacted)

    def test_the_longest_of_several_values_wins(self) -> None:
        self.assertEqual(Redactor(("abcdefgh", "abcdefgh-ijkl")).text("x abcdefgh-ijkl y"), f"x {MARK} y")

    def test_values_are_not_shown_by_the_redactor_itself(self) -> None:
        self.assertNotIn("abcdefgh", repr(Redactor(("abcdefgh-ijkl",))))

    def test_an_empty_value_and_the_mark_itself_are_no_values(self) -> None:
        self.assertEqual(Redactor(("", "REDACTED", MARK)).text(f"a {MARK} b"), f"a {MARK} b")

    def test_only_values_of_secret_variables_that_are_worth_it_are_taken(self) -> None:
        key, password = made_up("env key"), made_up("env password")
        taken = {
            "HAZARD_API_KEY": key,
            "HAZARD_DB_PASSWORD": "only-letters-here",
            "GITHUB_TOKEN": made_up("env token"),
            "SECRET_KEY_BASE": made_up("rails"),
            "API_KEY_OF_OURS": made_up("suffix"),
            "DB_PASS": made_up("pass"),
            "SERVICE_AUTH": made_up("auth"),
            "ADMIN_PASSWORD": "1234567890",
        }
        left = {
            "SHORT_KEY": "abc123",
            "KEYBOARD": made_up("layout"),
            "TOKENIZERS_PARALLELISM": "disabled-2",
            "SSH_AUTH_SOCK": "/tmp/ssh-ABC/agent.12345",
            "GOOGLE_APPLICATION_CREDENTIALS": "/home/kim/key1.json",
            "AUTH_URL": "https://login.example.invalid/path1",
            "TOKEN_LIMIT": "100000000",
            "SECRET_BACKEND_TYPE": "kubernetes-1",
            "USE_API_KEY": "required",
            "MONKEY": made_up("animal"),
            "PATH": "/usr/bin:/bin",
            "PWD": "/srv/data/Projects1",
        }
        address = {"DATABASE_URL": f"postgres://app:{password}@db.invalid/main"}
        self.assertEqual(set(sensitive_values(taken | left | address)), {*taken.values(), password})


class Values(unittest.TestCase):
    def setUp(self) -> None:
        self.redactor = Redactor((made_up("known"),))

    def test_values_under_sensitive_keys_are_hidden_and_numbers_of_tokens_stay(self) -> None:
        for value, expected in (
            ({"password": "x", "n": 1}, {"password": MARK, "n": 1}),
            ({"apiKey": "a b c"}, {"apiKey": MARK}),
            ({"client_secret": ["a", {"b": "c"}], "d": "e"}, {"client_secret": [MARK, {"b": MARK}], "d": "e"}),
            ({"pin": 1, "password": 12345678, "secret": None}, {"pin": 1, "password": MARK, "secret": None}),
            ({"input_tokens": 1200, "output_tokens": 350, "token": 7}, None),
            ({"max_tokens": "4096", "author": "Kim", "key": "name", "keys": ["a"]}, None),
            ({"key": made_up("weak", 30)}, {"key": MARK}),
            ({"name": "DB_PASSWORD", "value": "x"}, {"name": "DB_PASSWORD", "value": MARK}),
            ({"name": "colour", "value": "x"}, None),
            (["tool", "--api-key", "abc", "--n", "1"], ["tool", "--api-key", MARK, "--n", "1"]),
            (["tool", "--password", "--verbose"], None),
            (f"TOKEN={SECRET}", f"TOKEN={MARK}"),
            ({"x": [f"a {made_up('known')}"]}, {"x": [f"a {MARK}"]}),
            ({f"api_key={SECRET}": 1}, {f"api_key={MARK}": 1}),
            ([None, True, 1.5, "", ()], [None, True, 1.5, "", []]),
        ):
            with self.subTest(value=value):
                self.assertEqual(self.redactor.value(value), value if expected is None else expected)

    def test_keys_that_become_alike_lose_no_entry(self) -> None:
        value = {"token=" + made_up("one"): 1, "token=" + made_up("two"): 2}
        self.assertEqual(self.redactor.value(value), {f"token={MARK}": 1, f"token={MARK} (2)": 2})

    def test_many_keys_that_become_alike_take_linear_time(self) -> None:
        value = {f"token={made_up(str(number))}": number for number in range(5_000)}
        began = time.process_time()
        self.assertEqual(len(self.redactor.value(value)), len(value))  # type: ignore[arg-type]
        self.assertLess(time.process_time() - began, 1.0)

    def test_a_deep_value_is_cut_and_can_be_written(self) -> None:
        value: object = SECRET
        for _ in range(100_000):
            value = [value]
        redacted = json.dumps(self.redactor.value(value))
        self.assertEqual(redacted, "[" * DEEPEST + f'"{MARK}"' + "]" * DEEPEST)

    def test_a_second_pass_changes_nothing(self) -> None:
        value = {"password": "x", "a": [f"Bearer {SECRET}", {"token": "abc"}], f"key={SECRET}": "--token x"}
        once = self.redactor.value(value)
        self.assertEqual(self.redactor.value(once), once)


class AnyText(unittest.TestCase):
    PIECES = (
        *(dress.replace("@", SECRET) for dress in DRESSES),
        *HARMLESS,
        *(prefix + rest for prefix, rest in SHAPES),
        *("password", "token", "key", "=", ":", ": ", '"', "'", "`", "\\", '\\"', "[", "]", "{", "}", "(", ")", ","),
        *(" ", "\n", "\r\n", "\t", "&", "?", "|", "<", ">", "</", "--", "--token ", "is ", "value", MARK, "12345"),
        *("\u0130", "é", '"""', "'''", "Bearer ", "Basic ", "://u:", "@", "-----END PRIVATE KEY-----", "$X", "${X}"),
    )

    def test_any_mixture_is_stable_after_one_pass_and_json_stays_json(self) -> None:
        redactor, dice = Redactor(("known-value-1", 'known"value\\2')), random.Random(2)
        for _ in range(400):
            text = "".join(dice.choices(self.PIECES, k=dice.randint(1, 9)))
            document = json.dumps({"out": text, "inner": json.dumps({"password": text}), "password": text})
            with self.subTest(text):
                once = redactor.text(text)
                self.assertEqual(redactor.text(once), once)
                self.assertEqual(set(json.loads(redactor.text(document))), {"out", "inner", "password"})

    def test_a_number_that_is_hidden_gets_quotes_where_it_stands_in_json(self) -> None:
        redactor = Redactor(("48151623",))
        for text, expected in (
            ('{"Authorization": 123456789012}', f'{{"Authorization": "{MARK}"}}'),
            ('{"proxy-authorization": -1234567890.5, "n": 1}', f'{{"proxy-authorization": "{MARK}", "n": 1}}'),
            ('{"bearer": 1234567890123456}', f'{{"bearer": "{MARK}"}}'),
            ('{"n": 48151623}', f'{{"n": "{MARK}"}}'),
            ('{"n": 1.48151623e5}', f'{{"n": "{MARK}"}}'),
            ("[1, 48151623, 9481516239]", f'[1, "{MARK}", "{MARK}"]'),
            ('{"s": "[48151623, 1]", "n": [48151623]}', f'{{"s": "[{MARK}, 1]", "n": ["{MARK}"]}}'),
            ('{"s": "C:\\\\", "n": [48151623]}', f'{{"s": "C:\\\\", "n": ["{MARK}"]}}'),
            ('{"s": "{\\"n\\": 48151623}"}', f'{{"s": "{{\\"n\\": \\"{MARK}\\"}}"}}'),
        ):
            with self.subTest(text):
                self.assertEqual(redactor.text(text), expected)
                self.assertEqual(redactor.text(expected), expected)
                json.loads(expected)
        self.assertEqual(redactor.text("the code 48151623 is old"), f"the code {MARK} is old")

    def test_hiding_many_numbers_takes_linear_time(self) -> None:
        start = time.process_time()
        Redactor(("48151623",)).text("[" + "48151623," * (MEBIBYTE // 9) + "1]")
        self.assertLess(time.process_time() - start, 3)

    def test_what_is_asked_again_has_the_same_answer_however_much_was_asked_between(self) -> None:
        redactor = Redactor(("known-value-1",))
        asked = [f"password={SECRET}{number}" if number % 7 else f"harmless {number}" for number in range(MOST_KNOWN)]
        texts = ("known-value-1", *asked, "x" * LONGEST_KNOWN + " known-value-1", "known-value-1")
        first = [redactor.text(text) for text in texts]
        self.assertEqual(first[0], MARK)
        self.assertEqual([redactor.text(text) for text in texts], first)
        self.assertEqual([Redactor(("known-value-1",)).text(text) for text in texts[::100]], first[::100])

    def test_memory_is_a_few_times_that_of_the_text(self) -> None:
        for start in ("password=", 'password="', "password='"):
            for unit in ("a", "a.b", "\\n"):
                with self.subTest(start, unit=unit):
                    self.assertLess(_peak_bytes(start + unit * (MEBIBYTE // len(unit))), 16 * MEBIBYTE)

    def test_a_value_ends_with_the_string_around_it_on_every_python(self) -> None:
        text = """echo '{"out": "password='abc-12345"}' rest"""
        self.assertEqual(Redactor().text(text), text.replace("abc-12345", MARK))

    def test_time_is_linear_in_the_worst_texts(self) -> None:
        worst = (
            *(
                "password ",
                "-----BEGIN ",
                "-----BEGIN PRIVATE" + " KEY-----\n",
                "a",
                "a_",
                "ey" + "J.",
                "bearer ",
                "://",
            ),
            *("://a:b@", '"', "\\", '\\"', 'password=\\"', "password='", "key=x ", "token={", "cookie: a=", "sk" + "-"),
            *(
                "_sk" + "-",
                "basic aaaaaaaa ",
                "--token ",
                "<password>",
                "| token ",
                "key: [",
                "pat=",
                "\u0130",
                "curl ",
            ),
            *("-----END PRIVATE" + " KEY-----\n", "authorization: ", "authorization:", "machine ", "\n", " ", "?sig="),
        )
        for unit in worst:
            with self.subTest(unit):
                text = ("PRIVATE KEY bearer curl --x ://@ " + unit * (MEBIBYTE // 8 // len(unit)))[: MEBIBYTE // 8]
                began = time.process_time()
                Redactor().text(text)
                self.assertLess(time.process_time() - began, 1)


def _peak_bytes(text: str) -> int:
    tracemalloc.start()
    try:
        Redactor().text(text)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    unittest.main()
