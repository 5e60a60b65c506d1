"""The scenario that a comparison becomes."""

from __future__ import annotations

import inspect
import json
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ._identity import texts_in, version_of
from ._serve import SECRET_HEADER, SECRET_VARIABLE

#: Columns that hold what a row asks, the first that is there.
ASKING = ("prompt", "input", "question", "message", "text")


class Plan:
    """Arms, checks and rows, and which columns who is sent."""

    def __init__(
        self, arms: Mapping[str, Any], checks: Mapping[str, Any], table: List[dict], send: Optional[Sequence[str]]
    ) -> None:
        if not isinstance(arms, Mapping) or len(arms) < 2:
            raise ValueError("arms: give two or more by name, as {'old': f, 'new': g}")
        self.arms = {str(name): _split(arm) for name, arm in arms.items()}
        self.checks = {str(name): _split(check) for name, check in checks.items()}
        self.functions = {name: arm[0] for name, arm in self.arms.items() if arm[0] is not None}
        self.check_functions = {name: check[0] for name, check in self.checks.items() if check[0] is not None}
        self.scored = {
            name
            for name, (run, more) in self.checks.items()
            if "min_score" in more or more.get("score") or _says_float(run)
        }
        columns = list(dict.fromkeys(column for row in table for column in row))
        self.withheld = self._withheld(columns, send)
        self.columns = [column for column in columns if column != "id" and column not in self.withheld]

    def _withheld(self, columns: List[str], send: Optional[Sequence[str]]) -> Dict[str, str]:
        """By column, why arms do not get it."""
        if send is not None:
            strange = next((column for column in send if column not in columns), None)
            if strange is not None:
                raise ValueError("send: there is no column %r; there are %s" % (strange, ", ".join(columns)))
            return {column: "send does not name it" for column in columns if column not in send}
        asked = {text for run in self.functions.values() for text in texts_in(run)}
        found = {}
        for name, (run, more) in self.checks.items():
            named = texts_in(run) if run is not None else set(re.findall(r"\{\{([^{}]*)\}\}", json.dumps(more)))
            # An arm that names it wants it.
            found.update(
                {
                    column: "the check %r reads it" % name
                    for column in columns
                    if column in named and column not in asked
                }
            )
        return found

    def scenario(
        self,
        url: str,
        name: str,
        question: Optional[str],
        judge: Optional[str],
        prompt: Optional[str],
        seconds: Optional[float],
    ) -> dict:
        checks = [self._check(url, one, seconds) for one in self.checks]
        criteria = [
            *([{"question": question}] if question else []),
            *([{"id": "checks", "measure": "probe_score"}] if checks else []),
        ]
        model = judge or (None if question else "builtin/evidence")
        return {
            "name": name,
            **({"title": question} if question else {}),
            "varies": sorted({"endpoint" if one in self.functions else "model" for one in self.arms}),
            "inputs_file": "rows.jsonl",
            "task": {
                "prompt": prompt or self._prompt(),
                "deliverable": "answer",
                **({"probe": {"checks": checks}} if checks else {}),
            },
            "arms": [self._arm(url, one) for one in self.arms],
            **({"policies": {"budget": {"max_seconds": seconds}}} if seconds else {}),
            "rubric": {"criteria": criteria, **({"judge": {"model": model}} if model else {})},
        }

    def _arm(self, url: str, name: str) -> dict:
        run, more = self.arms[name]
        if run is None:
            return {"id": name, "tools": [], **more}
        return {"id": name, "endpoint": {**_place(url, "arms", name, run, more), "send": self.columns}}

    def _check(self, url: str, name: str, seconds: Optional[float]) -> dict:
        run, more = self.checks[name]
        if run is None:
            return {"id": name, "required": True, **more}
        scored = name in self.scored
        own = {key: value for key, value in more.items() if key != "version"}
        kind = {"score": True} if scored else {}
        required = {"required": True} if not scored or "min_score" in more else {}
        limit = {"timeout_s": seconds} if seconds else {}
        return {"id": name, "posted": _place(url, "checks", name, run, more), **kind, **required, **limit, **own}

    def _prompt(self) -> str:
        """What a judge and a reader see of a row: what it asks, else all that arms are sent."""
        asking = next((column for column in ASKING if column in self.columns), None)
        if asking is not None:
            return "{{%s}}" % asking
        shown = [column for column in self.columns if "{" not in column and "}" not in column]
        if len(shown) == 1:
            return "{{%s}}" % shown[0]
        return "\n".join("%s: {{%s}}" % (column, column) for column in shown) or "Answer."


def _split(given: Any) -> Tuple[Optional[Callable], Dict[str, Any]]:
    """The function, if it is one, and the fields that were given with it."""
    if isinstance(given, str):
        return None, {"model": given}
    if isinstance(given, Mapping):
        more = dict(given)
        return more.pop("run", None), more
    return given, {}


def _place(url: str, kind: str, name: str, run: Any, more: Dict[str, Any]) -> dict:
    version = more.get("version") or version_of(run)
    known = {} if version is None else {"version": str(version)}
    return {"url": "%s/%s/%s" % (url, kind, name), "headers_env": {SECRET_HEADER: SECRET_VARIABLE}, **known}


def _says_float(run: Any) -> bool:
    try:
        return inspect.signature(run).return_annotation in (float, "float")
    except (TypeError, ValueError):
        return False
