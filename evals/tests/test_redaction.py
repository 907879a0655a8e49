"""Redaction: secrets in many dresses go, harmless text stays, JSON stays JSON, and time is linear.

Every secret is put together here at run time, so that no scanner finds one in the repository.
"""

import base64
import hashlib
import json
import random
import time
import tracemalloc
import unittest
from urllib.parse import quote

from evals.skill_eval.artifacts.redaction import DEEPEST, LONGEST_KNOWN, MOST_KNOWN, Redactor, sensitive_values
from evals.skill_eval.artifacts.spans import MARK

MEBIBYTE = 1 << 20


def made_up(name: str, length: int = 24) -> str:
    """Return letters and digits that look like a key, always the same for a name."""
    digest = hashlib.sha256(name.encode()).hexdigest() + hashlib.sha256(name.upper().encode()).hexdigest()
    return ("Zq7" + digest.translate(str.maketrans("abcdef", "gRtYuP")))[:length]


def hexadecimal(length: int) -> str:
    return hashlib.sha512(b"synthetic").hexdigest()[:length]


SECRET = made_up("secret")
PHRASE = "three plain " + made_up("phrase", 9)

# `@` stands for a secret without blanks, `§` for one with blanks.
DRESSES = (
    "Authorization: Bearer @",
    "authorization: bearer @",
    "AUTHORIZATION:\tBEARER\t@",
    "Authorization: Bearer\n  @",
    "sent with Bearer @ attached",
    "Authorization: Bearer sk-lm-abc:@",
    "Bearer ab~cd+ef/gh._-@==",
    "?next=Bearer%20@",
    'headers = {"Authorization": "Bearer @"}',
    "curl -H 'Authorization: Bearer @' https://example.invalid/",
    '("Authorization", "Token @")',
    "Authorization: ApiKey @",
    "Authorization: @",
    "Proxy-Authorization: Negotiate @",
    "API_KEY=@",
    "export DB_PASSWORD='@'",
    "password: @",
    "password:@",
    "client_secret: '@' # rotate",
    'client_secret: "@"',
    '"api_key": "@"',
    '{"access_token":"@","n":1}',
    'log: {\\"secret\\":\\"@\\"}',
    'log: {\\\\\\"secret\\\\\\":\\\\\\"@\\\\\\"}',
    "{'refresh_token': '@', 'n': 1}",
    "apiKey: '@'",
    "const dbPassword = `@`;",
    "MYAPP_PROD_SECRET_KEY = @",
    "SECRET_KEY_BASE=@",
    "PASSWORD2=@",
    "API_KEY_PROD=@",
    "aws_secret_access_key = @",
    "aws_session_token=@",
    'token := "@"',
    "set :password => '@'",
    "'secret' => '@',",
    "$config->password = '@';",
    'config["password"] = "@"',
    "os.environ['GITHUB_TOKEN'] = '@'",
    'password = "§"',
    "passphrase = '§'",
    '"password": "\\"quoted\\" @"',
    "PASSWORD='it is \"@\" now'",
    'token = b"@"',
    "password = '''@'''",
    "password=abc,@",
    "password=abc/def+@=",
    "Server=db;Uid=app;Pwd=@;Encrypt=yes",
    "DefaultEndpointsProtocol=https;AccountKey=@==;EndpointSuffix=example.invalid",
    "X-Api-Key: @",
    "x-auth-token: @",
    "Ocp-Apim-Subscription-Key: @",
    "https://example.invalid/?access_token=@&page=2",
    "https://example.invalid/?page=2&api_key=@#top",
    "https://example.invalid/blob?sv=1&sig=@%3D",
    "https://example.invalid/?X-Amz-Signature=@",
    "password:\n    @",
    "password: |\n  @",
    "password: >-\n  @\nuser: kim",
    "tool --api-key=@",
    "tool --api-key @ --verbose",
    "mysql --password @",
    "mysql --password '§' db",
    'docker login --password "@"',
    "- name: DB_PASSWORD\n  value: @",
    '{"name": "DB_PASSWORD", "value": "@"}',
    '<add key="ApiToken" value="@"/>',
    "<password>@</password>",
    "<password>§</password>",
    "| password | @ |",
    "**Password**: @",
    "- **API key:** `@`",
    "`password`: `@`",
    "The password is @",
    'Your token is "@".',
    "Secret Access Key: @",
    "API key = @",
    "password\uff1a@",
    "password = @  # the old one",
    "passwords: ['@', '@']",
    "credentials = ('@',)",
    'api_keys = ["@",\n    "@"]',
    "//registry.example.invalid/:_authToken=@",
    "machine example.invalid\n  login kim\n  password @",
    "CREATE USER kim IDENTIFIED BY '@'",
    "curl -s -u kim:@ https://example.invalid",
    "curl --user kim:@ https://example.invalid",
    "postgres://app:@@db.example.invalid/main",
    "redis://:@@localhost:6379/0",
    "https://@@github.example.invalid/kim/project",
    "https://oauth2:@@github.example.invalid/kim/project",
    "Cookie: a=1; session=@",
    "Set-Cookie: session=@; HttpOnly",
    '"set-cookie": "id=@; Path=/"',
    "https://example.invalid/;jsessionid=@",
    "an unrelated key: value, then password=@",
    "line one\\nTOKEN=@\\nline three",
    "DB_PASS=@",
    "client-key-data: @",
    "ansible_become_pass: @",
    'psk="@"',
    "setx API_KEY @",
    "setenv API_KEY '§'",
    "set -gx DB_PASSWORD @",
    "ENV DB_PASSWORD @",
    "define('DB_PASSWORD', '@');",
    '[Environment]::SetEnvironmentVariable("API_KEY", "@")',
    'ConvertTo-SecureString "@" -AsPlainText -Force',
    "password%3D@",
    "%7B%22password%22%3A%22@%22%7D",
    "default login kim password @",
    "sshpass -p '@' ssh example.invalid",
    "docker login -u kim -p @",
    "mysql -u root -p@ db",
)

# Forms that give themselves away; the scanner-proof joint is in the prefix.
SHAPES = (
    ("AK" + "IA", made_up("aws").upper()[:16]),
    ("AS" + "IA", made_up("sts").upper()[:16]),
    ("AI" + "za", made_up("google", 35)),
    ("ya" + "29.", made_up("oauth", 40)),
    ("GOC" + "SPX-", made_up("client", 28)),
    ("abc8" + "Q~", made_up("azure", 34)),
    ("do" + "p_v1_", hexadecimal(64)),
    ("hv" + "s.", made_up("vault", 30)),
    ("gh" + "p_", made_up("github", 36)),
    ("github" + "_pat_", made_up("github2", 60)),
    ("gl" + "pat-", made_up("gitlab", 20)),
    ("np" + "m_", made_up("npm", 36)),
    ("py" + "pi-", made_up("pypi", 60)),
    ("dckr" + "_pat_", made_up("docker", 27)),
    ("xo" + "xb-123456789012-", made_up("slack")),
    ("xap" + "p-1-", made_up("slack2")),
    ("https://hooks.slack" + ".com/services/T000/B000/", made_up("hook")),
    ("https://discord" + ".com/api/webhooks/1/", made_up("discord", 60)),
    ("123456789" + ":AA", made_up("telegram", 33)),
    ("S" + "G." + made_up("grid", 22) + ".", made_up("grid2", 43)),
    ("s" + "k-", made_up("openai", 48)),
    ("s" + "k-proj-", made_up("openai2", 40)),
    ("s" + "k-ant-api03-", made_up("anthropic", 60)),
    ("s" + "k-or-v1-", made_up("router", 64)),
    ("h" + "f_", made_up("hub", 34)),
    ("gs" + "k_", made_up("groq", 50)),
    ("xa" + "i-", made_up("xai", 60)),
    ("nv" + "api-", made_up("nvidia", 60)),
    ("s" + "k_live_", made_up("stripe")),
    ("whs" + "ec_", made_up("stripe2", 32)),
    ("shp" + "at_", hexadecimal(32)),
    ("AB" + "IA", made_up("sts2").upper()[:16]),
    ("LT" + "AI", made_up("alibaba", 20)),
    ("AK" + "ID", made_up("tencent", 32)),
    ("pu" + "l-", hexadecimal(40)),
    ("cf" + "ut_", made_up("cloudflare", 48)),
    ("HR" + "KU-", made_up("heroku", 58)),
    ("AV" + "NS_", made_up("aiven", 18)),
    ("rn" + "d_", made_up("render", 28)),
    ("na" + "pi_", made_up("neon", 64).lower()),
    ("vc" + "p_", made_up("vercel", 56)),
    ("FlyV1 fm" + "2_", made_up("fly", 60)),
    ("ts" + "key-auth-", made_up("tailscale", 40)),
    ("sha256" + "~", made_up("openshift", 43)),
    ("oy" + "2", made_up("nuget", 43).lower()),
    ("CLO" + "JARS_", hexadecimal(60)),
    ("cmVm" + "dGtu", made_up("artifactory", 56)),
    ("sg" + "p_", hexadecimal(40)),
    ("", made_up("azure devops", 60) + made_up("azure", 16) + "AZ" + "DO" + "3k7Q"),
    ("bk" + "ua_", hexadecimal(40)),
    ("CCI" + "PAT_", made_up("circle", 22) + "_" + hexadecimal(40)),
    ("NR" + "II-", made_up("insert", 32)),
    ("", hexadecimal(36) + "NR" + "AL"),
    ("ph" + "x_", made_up("posthog", 43)),
    ("hc" + "aik_", made_up("honeycomb", 58).lower()),
    ("sq" + "u_", hexadecimal(40)),
    ("sn" + "yk_uat.", made_up("snyk", 40)),
    ("st" + ".", f"{hexadecimal(24)}.{hexadecimal(32)}.{hexadecimal(32)}"),
    ("op" + "s_ey" + "J", made_up("service", 60) + made_up("account", 60)),
    ("sec" + "ret_", made_up("notion", 43)),
    ("pa" + "t", made_up("airtable", 14) + "." + hexadecimal(64)),
    ("pa" + "t-na1-", "0b5f7b1e-93a1-4f0e-8d5b-2a7c1e9d4f60"),
    ("webhook.office" + ".com/webhookb2/", made_up("teams", 60)),
    ("xkey" + "sib-", made_up("mail", 60)),
    ("r" + "e_", made_up("one", 8) + "_" + made_up("two", 24)),
    ("pc" + "sk_", made_up("pinecone", 60)),
    ("tgp" + "_v1_", made_up("together", 43)),
    ("wandb" + "_v1_", made_up("weights", 60)),
    ("s" + "k_", hexadecimal(48)),
    ("access_token$" + "production$", made_up("paypal", 16) + "$" + hexadecimal(32)),
    ("access-" + "production-", "0b5f7b1e-93a1-4f0e-8d5b-2a7c1e9d4f60"),
    ("rz" + "p_live_", made_up("razorpay", 14)),
    ("FLW" + "SECK-", made_up("flutter", 32)),
    ("EA" + "AA", made_up("square", 60)),
    ("AGE-SECRET" + "-KEY-1", made_up("age", 58).upper()),
    ("ey" + "J" + made_up("head", 30) + ".ey" + "J", made_up("body", 40) + "." + made_up("mac", 40)),
)

KEY_KINDS = ("PRIVATE", "RSA PRIVATE", "EC PRIVATE", "OPENSSH PRIVATE", "ENCRYPTED PRIVATE", "DSA PRIVATE")

HARMLESS = (
    "max_tokens: 4096",
    'usage: {"input_tokens": 1200, "output_tokens": 350, "cost_usd": 0.01}',
    "tokens used: 350 of 1200",
    "next token: 42",
    "pad_token = '<|endoftext|>'",
    "The secret to good tests is patience.",
    "Our password policy asks for 12 characters.",
    "Password: must be at least 12 characters long",
    "Password: 12-character minimum",
    "Token: short-lived, see the manual",
    "- **token**: the token that the server returned",
    "Bearer of bad news",
    "the bearer token flow",
    "Bearer authentication",
    "bearer token/flow/authorization",
    "Bearer token-based-authentication is used",
    'WWW-Authenticate: Bearer realm="example", error="invalid_token"',
    "Basic understanding of authentication: none",
    "Authorization: required",
    "Authorization: role-based-access-control",
    "The tokenizer = whitespace splitter",
    "TOKENIZERS_PARALLELISM=false",
    "author: Kim",
    "authors: [Kim, Lee]",
    "secretary: Ms. Jones",
    "keyboard: qwerty",
    "keywords: redaction, tests",
    "primary_key: id",
    "sort_key=created_at_2024",
    "cache_key: " + hexadecimal(40),
    "key: src/app/version2/main.py",
    "sha256: " + hexadecimal(64),
    "commit " + hexadecimal(40),
    "session_id: 0b5f7b1e-93a1-4f0e-8d5b-2a7c1e9d4f60",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
    "A file with `-----BEGIN PRIVATE KEY-----` in it is never committed.",
    "Never print the password or the API key.",
    "def check_password(user, given): return user.password == given",
    "if token != expected or secret is None:",
    "password = getpass.getpass('Password: ')",
    'print("Token: " + repr(token))',
    "client = Client(password=password, token=self.token)",
    "self.password = password",
    "token = os.environ['GITHUB_TOKEN']",
    "password: str = field(repr=False)",
    "apiKey: string;",
    "secret: SecretStr",
    "api_key = config.secrets.api_key",
    "password: ${DB_PASSWORD}",
    'password = "${DB_PASSWORD}"',
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "PASSWORD=$PASSWORD",
    'password: "<your password>"',
    "API_KEY=your-api-key-here",
    '"token": null, "password": true',
    "password: !Ref DbPassword",
    "credentials: 'include'",
    "password_file: /run/secrets/db_password",
    "PASSWORD_FILE=/run/secrets/db",
    "PWD=/home/kim/project",
    "token_type: bearer",
    "use --password to set the password",
    "first_pass=abc123",
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db1-AbC1Ef",
    '"Resource": "arn:aws:secretsmanager:*:*:secret:${App}-db-1aB2cD"',
    '{"Credentials": "role"}',
    "credentials: managed-identity",
    '{"token": "identifier", "start": 3}',
    "a second pass: run2 is faster",
    "ENV NODE_VERSION 20.1.0",
    "set the token limit2 first",
    "isinstance('token', 'tokens')",
    'parser.add("token", "the token of 2024")',
    "q=password%20reset%3Dyes",
    "mysql -u root -p database",
    "docker run -p 8080:80 image",
    "docker login -u kim --password-stdin",
    "docker login example.invalid && docker run -p 8080:80 image",
    'd.get("password", "unknown1")',
    '"keyData": "columns"',
    "the --token option takes a token",
    "git@github.example.invalid:kim/project.git",
    "ssh://git@example.invalid/kim/project",
    "http://localhost:8080/@scope/package",
    "https://example.invalid/a?page=2&sort=key",
    "Cookie: a small text file",
    "task-management-system-overview-2024",
    "risk-assessment-of-2024-and-later-years",
    "| password | token | description |",
    "| --- | --- | --- |",
    "Bearer $TOKEN and Bearer ${ACCESS_TOKEN} and Bearer <access-token-of-yours>",
    "class Token:\n    'A token of a language.'",
    "for key in sorted(keys): print(key, values[key])",
)


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
                self.assertLess(time.process_time() - began, 0.5)


def _peak_bytes(text: str) -> int:
    tracemalloc.start()
    try:
        Redactor().text(text)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    unittest.main()
