"""Secrets that are known by their own form, whatever name stands before them.

Every search is linear: quantifiers are bounded or possessive, or a boundary lets each run of
characters be tried once. `low` is the text in lower case with all offsets kept.
"""

import re
from collections.abc import Iterator
from typing import Final

from evals.skill_eval.artifacts.spans import Span


def shape_spans(text: str, low: str) -> Iterator[Span]:
    """Yield the keys, tokens and credentials that their form gives away."""
    if "PRIVATE KEY" in text or "Private-Lines" in text:
        yield from _private_keys(text)
    if "bearer" in low:
        yield from _secrets(_BEARER, low)
    if "basic" in low:
        yield from _basic_credentials(text, low)
    if "authorization" in low:
        yield from _authorization_headers(text, low)
    if "cookie" in low:
        yield from _secrets(_COOKIE, low)
    if "@" in text and "://" in text:
        yield from _secrets(_URL_PASSWORD, text)
        yield from _secrets(_URL_TOKEN, text)
    if any(word in low for word in _COMMAND_WORDS):
        yield from _secrets(_COMMAND, low)
    if ("?" in text and "sig" in low) or ("sess" in low and "id=" in low):
        yield from _secrets(_QUERY, low)
    yield from _keys(text)


def url_password(url: str) -> str:
    """Return the password inside an address, empty when there is none."""
    match = _URL_PASSWORD.search(url)
    return match["secret"] if match else ""


def _secrets(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    """Yield the group `secret` of every match."""
    for match in pattern.finditer(text):
        yield Span(*match.span("secret"))


# Words of prose and the parameters of a challenge (RFC 6750) may be as long as a token.
_BEARER: Final = re.compile(
    r"bearer(?:[\s\"':=,\\]{1,16}|%20)"
    r"(?!(?:auth[a-z]{0,20}|tokens?|headers?|schemes?|credentials?|access|api|https?)[-/:]"
    r"|(?:realm|scope|error|error_description|resource_metadata)=)"
    r"(?P<secret>[\w.~+/=:%-]{15,}[\w~+/=%-])",
    re.ASCII,
)

_BASIC: Final = re.compile(r"basic[ \t]{1,8}(?P<secret>[a-z0-9+/_-]{6,8192}={0,2})")


def _basic_credentials(text: str, low: str) -> Iterator[Span]:
    for match in _BASIC.finditer(low):
        span = Span(*match.span("secret"))
        if _is_user_and_password(text[span.start : span.end]):
            yield span


def _is_user_and_password(encoded: str) -> bool:
    from base64 import urlsafe_b64decode

    try:
        return b":" in urlsafe_b64decode(encoded.replace("+", "-").replace("/", "_"))
    except ValueError:
        return False


_AUTHORIZATION: Final = re.compile(
    r"authorization[\"'\\\]]{0,6}[ \t]{0,8}(?:(?P<comma>,)|:|=>|=(?!=))[ \t]{0,8}[\"'\\]{0,6}"
    r"(?P<scheme>[a-z][\w-]{1,24}[ \t]{1,8})?(?P<secret>[\w.~+/=:-]{8,})",
    re.ASCII,
)
_NO_WORD: Final = re.compile(r"[0-9]|[a-z][A-Z]|[A-Z]{2}")


def _authorization_headers(text: str, low: str) -> Iterator[Span]:
    for match in _AUTHORIZATION.finditer(low):
        span = Span(*match.span("secret"))
        is_call = text[span.end : span.end + 1] == "("
        if (match["scheme"] or not match["comma"]) and not is_call and _NO_WORD.search(text, span.start, span.end):
            yield span


_COOKIE: Final = re.compile(
    r"cookie[\"'\\]{0,4}[ \t]{0,4}:[ \t]{0,4}[\"'\\]{0,4}(?P<secret>[\w.%-]{1,64}=[^\s\"'\\][^\n\"'\\]{0,8192})",
    re.ASCII,
)

_URL_PASSWORD: Final = re.compile(r"://[^\s/:@\"'<>`]{0,256}:(?P<secret>(?![$<{%])[^\s/\"'<>`]{1,512})@")
_URL_TOKEN: Final = re.compile(r"://(?=[^\s/:@]{0,64}[0-9])(?P<secret>[A-Za-z0-9_.~+-]{16,512})@")

_COMMAND_WORDS: Final = ("curl", "login", "identified by", "sshpass", "mysql", "securestring")
# `curl -u user:password`, a line of .netrc, SQL, and the tools that take a password by a short option.
_COMMAND: Final = re.compile(
    r"(?:curl (?:(?!curl)[^\n]){0,300}?(?:-u|--user)[ =]?[\"']?[^\s:\"'/$<]{1,64}:"
    r"|(?:machine\s{1,8}\S{1,128}|default)\s{1,8}login\s{1,8}\S{1,128}\s{1,8}password\s{1,8}"
    r"|identified by [\"']|sshpass -p ?[\"']?|securestring (?:-string )?[\"']"
    r"|(?:docker|podman|helm registry) login [^\n&;|]{0,200}? -p[ =]?[\"']?"
    r"|mysql(?:dump|admin)? (?:-[a-z][^\n]{0,100}? )?-p[\"']?(?=[^\s]{0,64}[0-9]))"
    r"(?P<secret>(?![$<{])[^\s\"'<>]{3,256})"
)

# Signed addresses and sessions; the name alone says too little.
_QUERY: Final = re.compile(r"(?:[?&][a-z-]{0,16}sig(?:nature)?|sess(?:ion)?_?id)=(?P<secret>[\w.%+/-]{16,1024}={0,2})")


def _keys(text: str) -> Iterator[Span]:
    """Yield keys that begin a word; an escape before one is no part of the word."""
    words = _ESCAPE.sub(_blanks, text) if "\\" in text or "%" in text or "\x1b" in text else text
    if _KEY.search(" ".join([word for word in words.split() if len(word) >= _SHORTEST_KEY])):
        yield from _secrets(_KEY, words)


def _blanks(match: re.Match[str]) -> str:
    return _BLANKS[len(match[0])]


_BLANKS: Final = tuple(" " * length for length in range(32))  # shared: a text may hold very many escapes
# A line break of JSON, `%3D`, a colour of the terminal.
_ESCAPE: Final = re.compile(
    r"(?:\\(?:[abefnrtv0]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|033)|%[0-9A-Fa-f]{2}|\x1b)(?:\[[0-9;]{0,16}m)?"
)

_SHORTEST_KEY: Final = 18
_KEY: Final = re.compile(
    r"(?<![A-Za-z0-9])(?P<secret>"
    # clouds
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])|ABSK[A-Za-z0-9+/]{40,}|AIza[\w-]{35}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}"
    r"|1//0[\w-]{30,}|[\w~.]{3}8Q~[\w.~-]{31,34}|do[oprt]_v1_[0-9a-f]{64}|dapi[0-9a-f]{32}|hv[sbr]\.[\w-]{20,}"
    r"|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}|v1\.0-[0-9a-f]{24}-[0-9a-f]{40,}|pscale_(?:tkn|pw|oauth)_[\w.-]{20,}"
    r"|sb(?:p|_secret)_[\w-]{20,}|fo1_[\w-]{20,}|nf[bcopu]_[\w-]{20,}|dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{20,}"
    r"|LTAI[A-Za-z0-9]{20}(?![A-Za-z0-9])|AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])|pul-[0-9a-f]{40}"
    r"|cf(?:ut|at|k)_[A-Za-z0-9]{40,}"
    r"|HRKU-[\w-]{36,}|AVNS_[\w-]{15,}|rnd_[A-Za-z0-9]{28,}|napi_[A-Za-z0-9]{40,}|vc[aikpr]_[A-Za-z0-9]{24,}"
    r"|fm[12][ar]?_[\w+/=]{40,}"
    r"|tskey-[a-z]{2,10}-[\w-]{16,}|sha256~[\w-]{43}|amzn\.mws\.[0-9a-f-]{36}"
    # code hosts, registries and their neighbours
    r"|gh[oprsu]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|ATBB[\w-]{24,}|AT[AC]TT3[\w=-]{20,}"
    r"|gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|rtr|soat)-[\w.-]{20,}|gl(?:sa|c)_[\w=+/-]{30,}"
    r"|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{40,}|rubygems_[0-9a-f]{32,}|cio[A-Za-z0-9]{32}|dckr_(?:pat|oat)_[\w-]{20,}"
    r"|AKCp[A-Za-z0-9]{50,}|NRAK-[A-Z0-9]{27}|sntry[su]_[\w=+/.-]{20,}|PMAK-[\w-]{40,}"
    r"|oy2[a-z0-9]{43}(?![A-Za-z0-9])|CLOJARS_[0-9a-f]{60}|cmVmdGtu[A-Za-z0-9]{56}"
    r"|sgp_(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}"
    r"|[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}|[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{24,}|bk(?:aj|at|ct|ua)_\w{32,}"
    r"|CCIP(?:AT|RJ)_\w{20,}"
    r"|NRII-[\w-]{32}|[0-9a-fA-F]{36}NRAL|ph[cprsx]_[A-Za-z0-9]{40,}|hc[a-z](?:ik|lk|mk)_[0-9a-z]{58}"
    r"|sq[apu]_[0-9a-f]{40}"
    r"|snyk_[su]at\.[\w.-]{30,}|pn[bu]_[A-Za-z0-9]{36}|st\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}"
    r"|(?:api|sdk)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|ops_eyJ[\w+/=-]{100,}|A3-[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3}"
    r"|0\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[A-Za-z0-9]{30}:[\w+/=]{20,}"
    r"|secret_[A-Za-z0-9]{43}|pat[A-Za-z0-9]{14}\.[0-9a-f]{64}|[0-9]/[0-9]{16}:[0-9a-f]{32}"
    r"|pat-(?:ap|eu|na)[0-9]-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|rdme_[0-9a-z]{70}|tfp_[\w.-]{40,}|fio-u-[\w=-]{64}"
    r"|lin_(?:api|oauth)_[A-Za-z0-9]{30,}|ntn_[A-Za-z0-9]{30,}|figd_[\w-]{30,}|dt0[a-z][0-9]{2}\.[\w.]{24,}"
    # chat and mail
    r"|xox[a-z][-.][\w.-]{13,}|xapp-[\w-]{16,}|[0-9]{8,10}:AA[\w-]{33}|[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}"
    r"|SG\.[\w-]{16,64}\.[\w-]{16,}|key-[0-9a-f]{32}|SK[0-9a-f]{32}|[0-9a-f]{32}-us[0-9]{1,2}"
    r"|hooks\.slack\.com/[a-z]{1,16}/[\w/-]{20,}|discord(?:app)?\.com/api/webhooks/[0-9]{1,24}/[\w-]{20,}"
    r"|webhook\.office\.com/webhookb2/[\w@/-]{40,}|hooks\.zapier\.com/hooks/catch/[0-9]{1,12}/\w{6,}"
    r"|x(?:key|smtp)sib-[\w-]{40,}|re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])"
    # model vendors
    r"|(?<![_-])sk-(?=[\w-]{0,64}?[A-Za-z0-9]{16})[\w-]{16,}|csk-[A-Za-z0-9]{32,}|hf_[A-Za-z0-9]{20,}"
    r"|api_org_[A-Za-z0-9]{20,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|pplx-[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{20,}"
    r"|fw_[A-Za-z0-9]{20,}|nvapi-[\w-]{20,}|tvly-[\w-]{20,}|lsv2_(?:pt|sk)_\w{20,}|[ps]k-lf-[\w-]{20,}"
    r"|sk_[0-9a-f]{48}|pcsk_\w{40,}|tgp_v1_[\w-]{30,}|wandb_v1_\w{40,}"
    # shops and banks
    r"|[prs]k_(?:live|prod|test)_[A-Za-z0-9]{10,}|whsec_[\w+/=]{20,}|sq0[a-z]{3}-[\w-]{20,}|shp[a-z]{2}_[0-9a-f]{32}"
    r"|access_token\$(?:production|sandbox)\$[0-9A-Za-z]{16}\$[0-9a-f]{32}"
    r"|access-(?:sandbox|development|production)-[0-9a-f-]{36}"
    r"|rzp_(?:live|test)_[A-Za-z0-9]{14,}|FLWSECK(?:_TEST)?-[0-9A-Za-z]{12,}|duffel_(?:live|test)_[\w-]{40,}"
    r"|EZ[AT]K[A-Za-z0-9]{54}"
    r"|EAA[ACM][\w-]{56,}"
    # everyone
    r"|AGE-SECRET-KEY-1[A-Z0-9]{20,}|(?<![_-])eyJ[\w-]{8,}\.(?:eyJ[\w-]{8,}|[\w-]*\.)[\w.-]*"
    r")",
    re.ASCII,
)


def _private_keys(text: str) -> Iterator[Span]:
    """Yield whole blocks, blocks without an end and blocks without a beginning; a mere mention is none."""
    markers = list(_MARKER.finditer(text))
    floor = 0
    for marker, following in zip(markers, [*markers[1:], None], strict=False):
        start, end = marker.span()
        if marker["end"]:
            start = _body_start(text, floor, start)
        elif following and following["end"] and following.start() - end <= _LONGEST_BODY:
            end = following.end()
        else:
            end = _body_end(text, end)
        floor = marker.end()
        if (start, end) != marker.span():
            yield Span(start, end)


_MARKER: Final = re.compile(
    r"-{4,5} ?(?:BEGIN|(?P<end>END)) (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines: [0-9]{1,3}"
)
_LONGEST_BODY: Final = 1 << 16  # a 16,384-bit RSA key has 13,000 characters
_LAST_LINES: Final = 1 << 12

# A line break, real or escaped, and what quoting or indenting puts before the next line.
_BREAK: Final = r"(?:[ \t]{0,8}(?:\r?\n|\r|(?:\\{1,4}[rn]){1,2})[ \t>|#*]{0,16}){1,3}"
_BODY_LINE: Final = re.compile(
    rf"(?:{_BREAK}|[ \t]?(?=[A-Za-z0-9+/]{{16}}))"
    r"(?:(?P<rows>[A-Za-z0-9+/=]++)(?=[ \t]{0,8}(?:[\r\n\\\"'`,;)<]|\Z)|[ \t][A-Za-z0-9+/=]{16})"
    r"|(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash|Subject): ?[^\r\n\\\"]{0,200})"
)
_LINE_BEFORE: Final = re.compile(
    r"(?:[ \t>|#*]{0,16}(?:\n\r?|[rn]?\\{1,4})){1,3}[A-Za-z0-9+/=]++(?=[ \t>|#*]{0,16}[\n\\\"'`]|\Z)"
)


def _body_end(text: str, end: int) -> int:
    """Return where the rows that follow a BEGIN end; the first shorter row is the last one."""
    width = 0
    while line := _BODY_LINE.match(text, end):
        end = line.end()
        rows = len(line["rows"] or "")
        if rows < width:
            break
        width = rows
    return end


def _body_start(text: str, floor: int, start: int) -> int:
    """Return where the rows that stand before an END begin."""
    before = text[max(floor, start - _LAST_LINES) : start][::-1]
    end = 0
    while line := _LINE_BEFORE.match(before, end):
        end = line.end()
    return start - end
