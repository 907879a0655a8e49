"""A finding of `validate`: which check, where, what is wrong."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One fault. `check` is `V1` to `V11`, `prose`, `lock`, `review` or `build`; `where` a file's or query's name."""

    check: str
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.check}: {self.message}"


CHECKS = {
    "V1": "the label suffices",
    "V2": "the label is minimal, and it is unique or all optima are given",
    "V3": "there is a broader alternative that tempts",
    "V4": "no privilege word, no skill or tool name in a query",
    "V5": "every name that is used exists",
    "V6": "the text is well formed",
    "V7": "an independent reader finds the goals in the text",
    "V8": "no two queries are near duplicates, and the language is varied",
    "V9": "quotas, twins and use of templates",
    "V10": "names, lengths, places and strong words give no level away",
    "V11": "no choice that does not know the levels comes near the labels, and the oracle does",
    "prose": "what a skill or tool says is what it declares",
    "lock": "stored levels are the computed ones",
    "review": "the review sheet is about the stored texts and complete",
    "build": "the stored files are what the hand-written files give",
}
