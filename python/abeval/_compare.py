"""A comparison becomes a scenario, which the program runs while the functions are served."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from ._program import AbevalError, Stop, run_program
from ._result import Result
from ._rows import rows_of
from ._scenario import Plan
from ._serve import SECRET_VARIABLE, Served


def compare(
    arms: Mapping[str, Any],
    rows: Any,
    checks: Optional[Mapping[str, Any]] = None,
    question: Optional[str] = None,
    *,
    judge_model: Optional[str] = None,
    trials: int = 1,
    stop_when_sure: bool = False,
    parallel: int = 1,
    max_cost: Optional[float] = None,
    max_seconds: Optional[float] = None,
    control: Optional[str] = None,
    best: bool = False,
    measure: Optional[str] = None,
    not_worse_by: Optional[float] = None,
    cluster: Optional[str] = None,
    prompt: Optional[str] = None,
    send: Optional[Sequence[str]] = None,
    name: str = "functions",
    state_dir: Union[str, "os.PathLike[str]", None] = None,
    prices: Union[str, "os.PathLike[str]", None] = None,
    flags: Sequence[str] = (),
) -> Result:
    """Runs each arm on each row, `trials` times, and says which one is better and how sure that is.

    An arm is a function, sync or async: `f(row)` or `f(row, context)` gives a text, or
    `{"answer": text, "usage": {"cost_usd": 0.01}, "steps": [...]}`. It may also be the name of a model
    (`"openai/gpt-5"`), a map as in a scenario file, or `{"run": f, "version": "3"}`.
    A check is a function: `check(answer)`, `check(answer, row)` or `check(answer, row, context)` gives True or False,
    a number from 0 to 1, or `{"pass" or "score": ..., "why": text}`. It may also be a map as in a scenario file, or
    `{"run": f, "min_score": 0.8}` with fields of one.
    `question` is for a judge: "Is it polite?". `rows` are dicts, or a data frame.
    Columns that only checks name are not sent to arms; `send` names those that are.
    `max_seconds` is for one arm in one trial.

    Raises AbevalError with what the program said, ValueError and TypeError for what cannot be compared, and
    KeyboardInterrupt when it was ended; nothing is left running then, but a function that does not return.
    """
    table = rows_of(rows)
    if not checks and question is None:
        raise ValueError("nothing says which answer is better; give checks, a question for the judge, or both")
    plan = Plan(arms, checks or {}, table, send)
    served = Served(plan.functions, plan.check_functions, plan.withheld)
    try:
        options = _options(
            {
                "--trials": trials,
                "--stop-when-sure": stop_when_sure,
                "--parallel": parallel,
                "--max-cost": max_cost,
                "--control": control,
                "--best": best,
                "--measure": measure,
                "--not-worse-by": not_worse_by,
                "--cluster": cluster,
                "--state-dir": state_dir and os.path.abspath(state_dir),
                "--prices": prices and os.path.abspath(prices),
            }
        )
        while True:
            scenario = plan.scenario(served.url, name, question, judge_model, prompt, max_seconds)
            stop = Stop()
            served.on_number = lambda check: (plan.scored.add(check), stop())
            served.scored = frozenset(plan.scored)
            secret = {SECRET_VARIABLE: served.secret}
            found = _run(["run", "-", *options, *flags], table, json.dumps(scenario), secret, stop)
            if found is not None:
                found.failures = served.told()
                return found
            # A check gave a number: it begins again as one that scores.
    except AbevalError as error:
        # Whoever debugs a function wants to see where it raised.
        raise error from next((one.error for one in served.failures.values()), None)
    finally:
        served.close()


def results(
    rows: Any,
    *,
    arms: Optional[Sequence[str]] = None,
    control: Optional[str] = None,
    best: bool = False,
    by: Optional[str] = None,
    cluster: Optional[str] = None,
    not_worse_by: Optional[float] = None,
    state_dir: Union[str, "os.PathLike[str]", None] = None,
    flags: Sequence[str] = (),
) -> Result:
    """Compares results that are there already; nothing runs.

    `rows` are dicts, or a data frame, with the columns `scenario`, `arm`, `passed` or `score`, and perhaps `trial`
    (1, 2, ...) and `cost_usd`, `tokens_in`, `tokens_out`, `wall_ms`, `turns`. `arms` chooses some of them;
    the first is the control.
    """
    options = _options(
        {
            "--arms": arms and ",".join(arms),
            "--control": control,
            "--best": best,
            "--by": by,
            "--cluster": cluster,
            "--not-worse-by": not_worse_by,
            "--state-dir": state_dir and os.path.abspath(state_dir),
        }
    )
    found = _run(["results", "rows.jsonl", *options, *flags], rows_of(rows), "", {}, None)
    assert found is not None
    return found


def _run(arguments: List[str], table: List[dict], stdin: str, secrets: Dict[str, str], stop: Optional[Stop]):
    """None where it was stopped to begin again."""
    with tempfile.TemporaryDirectory(prefix="abeval-") as folder:
        with open(os.path.join(folder, "rows.jsonl"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in table)
        # What lies in a temporary directory is no configuration of the user's.
        reports = ["--markdown", "answer.md", "--html", "answer.html", "--no-config"]
        printed = run_program([*arguments, *reports], folder, stdin, secrets, stop)
        if stop is not None and stop.wanted:
            return None
        series = json.loads(printed)
        if series.get("failure"):
            raise AbevalError(series["failure"].get("message") or str(series["failure"]))
        return Result(series, *(_read(os.path.join(folder, file)) for file in ("answer.md", "answer.html")))


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _options(given: Dict[str, Any]) -> List[str]:
    said: List[str] = []
    for flag, value in given.items():
        if value is True:
            said.append(flag)
        elif value is not None and value is not False and not (value == 1 and flag in ("--trials", "--parallel")):
            said += ["%s=%s" % (flag, value)]
    return said
