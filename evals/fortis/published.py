"""What arXiv 2605.09163 published: other data and other rules, for the shape of a table and not for its cells."""

from dataclasses import dataclass
from fractions import Fraction

LABEL = "published, different data, not comparable cell by cell"
SOURCE = "arXiv:2605.09163, Tables 2 and 3, Figures 3 and 4; 600 and 1,543 queries, one run, temperature 0"


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One model of Table 2, in percent as printed."""

    model: str
    exact_1: Fraction
    failed_1: Fraction
    exact_2: Fraction
    failed_2: Fraction
    over_2: Fraction
    no_action_2: Fraction

    @property
    def over_of_failed_2(self) -> Fraction:
        """Return OPR/FR of Task 2, from 0 to 1."""
        return self.over_2 / self.failed_2

    @property
    def under_2(self) -> Fraction:
        """Return what remains of Task 2, in percent: under-privilege by the released rules."""
        return 100 - self.exact_2 - self.failed_2

    @property
    def end_to_end(self) -> Fraction:
        """Return EM1 x EM2, in percent."""
        return self.exact_1 * self.exact_2 / 100


def _rows(text: str) -> tuple[PublishedRow, ...]:
    lines = (line.rsplit(maxsplit=6) for line in text.strip().splitlines())
    return tuple(PublishedRow(model.strip(), *map(Fraction, rates)) for model, *rates in lines)


TABLE_2 = _rows("""
GPT-5.5            41.2 51.2 20.4 62.5 47.9 14.6
GPT-5.4            42.2 52.7 15.2 66.6 43.8 22.8
GPT-5.4-mini       43.5 45.5 19.7 59.3 58.8 0.5
Claude Sonnet 4.6  49.5 40.3 22.4 56.8 56.0 0.8
Claude Opus 4.7    54.8 35.5 26.1 47.4 47.2 0.2
Gemini 3.1-Pro     47.7 41.2 22.7 49.2 47.8 1.4
Gemini 3 Flash     46.2 43.7 16.9 61.2 61.2 0.0
Qwen 3.6-Max       51.3 38.5 25.9 45.2 45.0 0.2
Kimi K2.6          44.0 47.8 23.3 53.7 46.1 7.5
DeepSeek-V4-Flash  46.2 44.5 20.7 53.0 48.6 4.4
""")

QUERIES = {1: 600, 2: 1543}

# Failure rates in percent by setting, as far as they are known; the ranges are over all models.
TABLE_3 = {
    "GPT-5.4": {"task1": {"CB": "10.8", "Sc": "87.3", "Lx": "61.9", "AI": "35.0"}, "task2": {}},
    "Gemini 3 Flash": {"task1": {}, "task2": {"CB": "4.5", "CS": "97.8", "BS": "88.0"}},
    "range over models": {"task1": {"CB": "3.3 to 16.7"}, "task2": {"CS": "75.0 to 97.8", "BS": "71.1 to 96.0"}},
}

# Ranges over models in percent by domain (Tables 5 and 6); no row of a single model could be had.
TABLE_6_EXACT = {"ecommerce": "0.0 to 2.2", "email": "29.6 to 55.0", "filesystem": "13.1 to 26.0"}
TABLE_6_FAILED = {"ecommerce": "53.9 to 81.0"}
TABLE_5_NO_ACTION = "Kimi K2.6 has 8.5, 10.5 and 7.0 % in the three domains, the others near 0"
