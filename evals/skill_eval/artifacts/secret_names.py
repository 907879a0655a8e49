"""Names that announce a secret: of variables, fields, headers and options."""

import re
from enum import IntEnum
from functools import lru_cache


class Sensitivity(IntEnum):
    """How much of what a name announces is a secret; each level includes the ones before."""

    NONE = 0
    WEAK = 1  # such as `cache_key`: a value that looks like a key
    KEY = 2  # such as `api_key`: any text
    PASSWORD = 3  # such as `password`: any text or number


@lru_cache(maxsize=2048)
def sensitivity(name: str) -> Sensitivity:
    """Tell what `name` (in any style; the last 128 characters count) announces."""
    words = _words(name)
    while len(words) > 1 and (words[-1] in _QUALIFIERS or words[-1].isdigit()):
        words.pop()
    glued = "".join(words)
    if not words or name in _OTHER or (glued.endswith("token") and words[-2:-1] and words[-2] in _TOKEN_COUNTS):
        return Sensitivity.NONE
    if glued.endswith(_PASSWORD_ENDS) or words[-1] in ("pwd", "psk") or _is_short_password(words):
        return Sensitivity.PASSWORD
    if glued.endswith(_KEY_ENDS):
        return Sensitivity.KEY
    return Sensitivity.WEAK if words[-1] in _WEAK_WORDS or glued in _WEAK_WORDS else Sensitivity.NONE


def _is_short_password(words: list[str]) -> bool:
    """Tell whether `words` are such as `DB_PASS`; a `first_pass` is none."""
    return words[-1] == "pass" and words[-2:-1] != [] and words[-2] in _OWNERS_OF_A_PASS


def holds_secret_variable(name: str) -> bool:
    """Tell whether the environment variable `name` is likely to hold a secret."""
    words = _words(name)
    if not words or words[-1] in _ABOUT:
        return False
    return sensitivity(name) is not Sensitivity.NONE or not _VARIABLE_WORDS.isdisjoint(words)


def word_set(text: str) -> frozenset[str]:
    """Return the words of `text`."""
    return frozenset(text.split())


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_QUALIFIERS = word_set(
    "b64 backup base base64 current default dev development hex live local main new old plain prod production"
    " primary raw secondary staging str string test text val value"
)
_OTHER = frozenset({"PWD", "OLDPWD"})
_PASSWORD_ENDS = ("password", "passwd", "passphrase", "passcode", "secret", "credential", "credentials")
_KEY_ENDS = tuple(
    word_set(
        "token apikey clientkeydata accesskey secretkey privatekey signingkey encryptionkey masterkey accountkey"
        " authkey sharedkey servicekey rolekey sessionkey storagekey subscriptionkey licensekey apikeys apitokens"
        " accesstokens authtokens refreshtokens sessiontokens"
    )
)
_WEAK_WORDS = word_set(
    "auth authorization bearer cookie jsessionid jwt key keys pass passwords pat phpsessid secrets session sessionid"
    " sig signature tokens"
)
_OWNERS_OF_A_PASS = word_set(
    "admin auth become bind database db email ftp imap ldap login mail mongo mysql pg postgres proxy rabbitmq redis"
    " root smtp sql ssh sudo user vault vnc wifi"
)
_TOKEN_COUNTS = word_set(
    "bos cls completion each end eos first input last mask max min next num output pad per prompt sep special start"
    " stop total unk"
)
_VARIABLE_WORDS = word_set(
    "apikey auth credential credentials key keys pass passphrase passwd password passwords pat private secret secrets"
    " token tokens"
)
_ABOUT = word_set(
    "budget count days dir enabled file host length level limit max method mode name path policy port region seconds"
    " size sock socket timeout ttl type user username"
)


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name[-128:])]
