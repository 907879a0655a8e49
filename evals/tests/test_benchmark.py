"""Rates and lift: exact, over complete pairs, and nothing where nothing was measured."""

import json
import unittest
from dataclasses import replace
from fractions import Fraction

from evals.skill_eval.evidence.benchmark import Benchmark, benchmark
from evals.skill_eval.evidence.benchmark_document import benchmark_to_json
from evals.skill_eval.model.grading import CheckResult, Grading
from evals.skill_eval.model.protocol import Mode
from evals.skill_eval.model.record import JsonObject, TrialRecord
from evals.skill_eval.model.suite import CheckType
from evals.skill_eval.model.trial import Failure, TrialKey
from evals.skill_eval.reporting.summary import warnings

TIMEOUT = Failure("timeout", "no answer within 120 s")


def record(
    case: int | str,
    mode: Mode,
    passed: bool | None = True,
    iteration: int = 1,
    loaded: bool | None = None,
    seconds: float = 1.0,
    **usage: int,
) -> TrialRecord:
    """Return a record with one text check, and a `loaded_skill` check if `loaded` is given; None errors."""
    checks = [] if passed is None else [CheckResult("text", CheckType.CONTAINS, True, passed, "why")]
    if loaded is not None:
        verdict = loaded if mode is Mode.WITH_SKILL else None
        checks.append(CheckResult("load", CheckType.LOADED_SKILL, True, verdict, "why"))
    return TrialRecord(
        TrialKey("sample", case, iteration, mode),
        seconds,
        None if passed is None else Grading(tuple(checks)),
        TIMEOUT if passed is None else None,
        usage,
        bool(loaded) and mode is Mode.WITH_SKILL,
    )


def of_pairs(*pairs: tuple[bool | None, bool | None], minimum: str | None = None) -> Benchmark:
    """Return the benchmark of (with, without) verdicts, a case each."""
    records = [
        record(number, mode, passed)
        for number, pair in enumerate(pairs)
        for mode, passed in zip((Mode.WITH_SKILL, Mode.WITHOUT_SKILL), pair, strict=True)
    ]
    return benchmark("sample", records, None if minimum is None else Fraction(minimum))


def as_json(result: Benchmark) -> JsonObject:
    """Return the document after a round through strict JSON."""
    value = json.loads(json.dumps(benchmark_to_json(result, "r", "a", None), allow_nan=False))
    assert isinstance(value, dict)
    return value


class Lift(unittest.TestCase):
    def test_lift_is_the_difference_of_the_pass_rates(self) -> None:
        self.assertEqual(of_pairs((True, False), (True, True), (False, False), (True, False)).lift, Fraction(1, 2))

    def test_a_minimum_is_compared_exactly(self) -> None:
        ten = [(True, True)] * 9 + [(True, False)]
        self.assertIs(of_pairs(*ten, minimum="0.1").effectiveness_passed, True)
        self.assertIs(of_pairs(*ten, minimum="0.10000001").effectiveness_passed, False)

    def test_an_errored_trial_takes_its_pair_out_of_lift_and_is_never_a_failure(self) -> None:
        result = of_pairs((True, False), (True, None), (None, True))
        self.assertEqual(result.lift, 1)
        document = as_json(result)
        self.assertEqual(document["without_skill"]["passed"], 1)  # type: ignore[index]
        self.assertEqual(document["without_skill"]["total"], 2)  # type: ignore[index]
        self.assertEqual(document["without_skill"]["errored"], 1)  # type: ignore[index]
        self.assertEqual([error["id"] for error in document["errors"]], [1, 2])  # type: ignore[attr-defined]

    def test_one_contaminated_trial_leaves_no_lift_to_the_pairs_that_are_left(self) -> None:
        for mode in (Mode.WITHOUT_SKILL, Mode.WITH_SKILL):
            with self.subTest(mode):
                clean = [record(1, one, one is Mode.WITH_SKILL) for one in (Mode.WITH_SKILL, Mode.WITHOUT_SKILL)]
                seen = replace(record(2, mode, None), failure=Failure("contaminated", "the skill was read"))
                result = benchmark("sample", [*clean, seen], Fraction("0.1"))
                self.assertIsNone(result.lift)
                self.assertIsNone(as_json(result)["effectiveness_passed"])
                self.assertEqual(result.exit_code, 2)
                (warning,) = warnings([result], 0)
                self.assertIn("sample: 1 trial was contaminated", warning)

    def test_loaded_skill_gates_but_does_not_lift(self) -> None:
        records = [record(1, Mode.WITH_SKILL, True, loaded=False), record(1, Mode.WITHOUT_SKILL, True, loaded=False)]
        result = benchmark("sample", records)
        self.assertEqual(result.lift, 0)
        self.assertEqual(result.exit_code, 1)

    def test_without_a_complete_pair_there_is_no_lift(self) -> None:
        result = of_pairs((True, None), (None, False))
        self.assertIsNone(result.lift)
        self.assertIsNone(as_json(result)["pass_rate_lift"])


class ExitCodes(unittest.TestCase):
    def test_the_worst_that_happened_decides(self) -> None:
        table = [
            (of_pairs((True, False)), 0),
            (of_pairs((True, True)), 0),
            (of_pairs((False, False)), 1),
            (of_pairs((True, True), minimum="0.1"), 1),
            (of_pairs((True, None)), 2),
            (of_pairs((False, False), (None, True)), 2),
            (of_pairs(minimum="0"), 2),
        ]
        for number, (result, code) in enumerate(table):
            with self.subTest(number):
                self.assertEqual(result.exit_code, code)


class Document(unittest.TestCase):
    def test_it_does_not_depend_on_the_order_of_the_records(self) -> None:
        records = [record(n, mode, n in (2, "a"), i) for i in (1, 2) for n in (2, 10, "b", "a") for mode in Mode]
        first, second = benchmark("sample", records), benchmark("sample", reversed(records))
        self.assertEqual(json.dumps(as_json(first)), json.dumps(as_json(second)))
        self.assertEqual([pair.case_id for pair in first.pairs[:4]], [2, 10, "a", "b"])

    def test_what_was_not_measured_is_null_or_absent(self) -> None:
        document = as_json(of_pairs((True, True)))
        self.assertIsNone(document["activation_telemetry_supported"])
        self.assertIsNone(document["activation_rate"])
        self.assertNotIn("tokens", document["run_summary"]["with_skill"])  # type: ignore[index]
        self.assertEqual(document["with_skill"]["usage_totals"], {})  # type: ignore[index]

    def test_usage_that_one_trial_did_not_report_has_no_total(self) -> None:
        records = [
            record(1, Mode.WITH_SKILL, input_tokens=5, output_tokens=2),
            record(2, Mode.WITH_SKILL, output_tokens=3),
            record(1, Mode.WITHOUT_SKILL),
        ]
        totals = as_json(benchmark("sample", records))["with_skill"]["usage_totals"]  # type: ignore[index]
        self.assertEqual(totals, {"input_tokens": None, "output_tokens": 5})

    def test_activation_counts_proven_loads_among_graded_skilled_trials(self) -> None:
        records = [record(n, Mode.WITH_SKILL, True, loaded=n < 2) for n in range(4)]
        document = as_json(benchmark("sample", [*records, record(0, Mode.WITHOUT_SKILL)]))
        self.assertIs(document["activation_telemetry_supported"], True)
        self.assertEqual(document["activation_rate"], 0.5)

    def test_run_summary_has_the_published_shape(self) -> None:
        records = [record(1, Mode.WITH_SKILL, True, seconds=3.0, input_tokens=10, output_tokens=5)]
        records += [record(1, Mode.WITHOUT_SKILL, False, seconds=1.0, input_tokens=4, output_tokens=5)]
        summary = as_json(benchmark("sample", records))["run_summary"]
        mean = {"stddev": 0.0}
        self.assertEqual(summary["with_skill"]["tokens"], mean | {"mean": 15, "min": 15, "max": 15})  # type: ignore[index]
        self.assertEqual(summary["delta"], {"pass_rate": 1.0, "time_seconds": 2.0, "tokens": 6})  # type: ignore[index]

    def test_an_arm_without_graded_trials_is_absent_from_run_summary(self) -> None:
        summary = as_json(of_pairs((True, None)))["run_summary"]
        self.assertEqual(list(summary), ["with_skill"])  # type: ignore[call-overload]


if __name__ == "__main__":
    unittest.main()
