"""What stands in each artifact of a trial: model records become JSON objects."""

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from evals.skill_eval.model.grading import CheckResult, Grading
from evals.skill_eval.model.record import JsonObject, TrialRecord, check_to_json
from evals.skill_eval.model.suite import Case
from evals.skill_eval.model.trial import Trial

MILLISECONDS = 1000


def case_document(case: Case) -> JsonObject:
    """Return `case.json`: the case as it was graded."""
    return {
        "id": case.id,
        "name": case.name,
        "prompt": case.prompt,
        "expected_output": case.expected_output,
        "assertions": list(case.assertions),
        "files": list(case.files),
        "checks": [
            {
                "id": check.id,
                "type": str(check.type),
                "operands": list(check.operands),
                "required": check.required,
                "case_sensitive": check.case_sensitive,
            }
            for check in case.checks
        ],
    }


def eval_metadata_document(case: Case) -> JsonObject:
    """Return `eval_metadata.json` as the published result viewers read it."""
    return {
        "eval_id": case.id,
        "eval_name": case.name or f"eval-{case.id}",
        "prompt": case.prompt,
        "assertions": list(case.assertions),
    }


def grading_document(grading: Grading, output: str) -> JsonObject:
    """Return `grading.json`: our verdicts, and the same as `expectations` and `assertion_results`."""
    rows = [_expectation(result) for result in grading.results if result.passed is not None]
    passed = sum(row["passed"] is True for row in rows)
    return {
        "passed": grading.passed,
        "comparable": grading.comparable,
        "checks": [check_to_json(result) for result in grading.results],
        "expectations": rows,
        "assertion_results": rows,
        "summary": {
            "passed": passed,
            "failed": len(rows) - passed,
            "total": len(rows),
            "pass_rate": passed / len(rows) if rows else 0.0,
        },
        "execution_metrics": {"output_chars": len(output), "errors_encountered": 0},
    }


def verdict_files(record: TrialRecord) -> tuple[str, tuple[str, ...]]:
    """Return the file that holds a trial's verdict, and those that would give another one."""
    if record.failure is not None:
        return "error.json", ("grading.json",)
    if record.grading is not None and record.grading.results:
        return "grading.json", ("error.json",)
    return "output.txt", ("grading.json", "error.json")


def tells(content: bytes, record: TrialRecord) -> bool:
    """Tell whether a trial's verdict file says what its record says.

    Texts are left out: they are redacted by the secrets of the day.
    """
    if verdict_files(record)[0] == "output.txt":
        return True
    try:
        found: Any = json.loads(content)
        if record.failure is not None:
            return bool(found["kind"] == record.failure.kind)
        return [(row["type"], row["required"], row["passed"]) for row in found["checks"]] == _verdicts(record)
    except (KeyError, ValueError, TypeError, RecursionError):
        return False


def _verdicts(record: TrialRecord) -> list[tuple[str, bool, bool | None]]:
    results = () if record.grading is None else record.grading.results
    return [(str(result.type), result.required, result.passed) for result in results]


def timing_document(trial: Trial) -> JsonObject:
    """Return `timing.json`; `total_tokens` is absent where the adapter reported none."""
    timing: JsonObject = {
        "duration_seconds": trial.duration_seconds,
        "total_duration_seconds": trial.duration_seconds,
        "duration_ms": round(trial.duration_seconds * MILLISECONDS),
        "usage": dict(trial.usage),
        "workspace_files": list(_workspace_files(trial)),
        "workspace_files_omitted": list(trial.omitted),
        "notes": list(trial.notes),
        "transient_retries": trial.retries,
    }
    if "input_tokens" in trial.usage and "output_tokens" in trial.usage:
        timing["total_tokens"] = trial.usage["input_tokens"] + trial.usage["output_tokens"]
    return timing


def response_document(trial: Trial) -> JsonObject:
    """Return `response.json`: what the adapter answered."""
    return {
        "output": trial.output,
        "events": [event.to_json() for event in trial.events],
        "usage": dict(trial.usage),
    }


def _expectation(result: CheckResult) -> JsonObject:
    text = f"{result.id} ({result.type}{'' if result.required else ', diagnostic'})"
    return {"text": text, "passed": result.passed, "evidence": result.message}


def _workspace_files(trial: Trial) -> Iterable[JsonObject]:
    for file in trial.created:
        yield {"path": file.path, "bytes": len(file.content), "sha256": sha256(file.content).hexdigest()}
