"""What functions of users are called with, and what they may give back."""

from __future__ import annotations

import inspect
import traceback
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

MAX_ANSWER_CHARS = 200_000
#: So much is told of what is wrong.
TOLD_CHARS = 2_000


@dataclass(frozen=True)
class Context:
    """What an arm is told beside its row."""

    trial: int
    seed: str
    messages: List[Dict[str, str]]
    follow_up: int
    input_id: Optional[str]


@dataclass(frozen=True)
class CheckContext:
    """What a check is told beside answer and row."""

    steps: List[Dict[str, Any]] = field(default_factory=list)
    change: Optional[str] = None


class Wrong(Exception):
    """What a function gave cannot be used. The message says why."""


class Row(dict):
    """A row of which a function got some columns. It says why others are missing."""

    withheld: Dict[str, str] = {}

    def __missing__(self, key: Any) -> Any:
        if key in self.withheld:
            raise Wrong(
                "the column %r is not sent to arms: %s. send=[...] names what they get" % (key, self.withheld[key])
            )
        raise KeyError(key)


def extras_of(function: Any, offered: tuple, what: str) -> List[str]:
    """Which of the values behind the first one a function takes: those that it demands, or calls by their names."""
    if not callable(function):
        raise TypeError("%s is %s; give a function" % (what, _kind(function)))
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # Some builtins do not say what they take.
        return []
    places = [
        one for one in signature.parameters.values() if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]
    extras = [name for name, one in zip(offered, places[1:]) if one.default is one.empty or one.name == name]
    try:
        signature.bind(None, *extras)
    except TypeError as error:
        may = ", ".join(offered)
        raise TypeError(
            "%s takes %s; it is called with one value, and with %s if it takes them: %s" % (what, signature, may, error)
        ) from None
    return extras


def answer_of(given: Any) -> Dict[str, Any]:
    """The reply to the program. Raises Wrong."""
    reply = {"answer": given} if isinstance(given, str) else given
    if not isinstance(reply, dict) or not isinstance(reply.get("answer"), str):
        inner = " with %s as answer" % _kind(reply.get("answer")) if isinstance(reply, dict) else ""
        raise Wrong(
            "it gave %s%s; return a text, or {'answer': text, 'usage': ..., 'steps': ...}" % (_kind(given), inner)
        )
    if len(reply["answer"]) > MAX_ANSWER_CHARS:
        raise Wrong(
            "its answer has %s characters; at most %s are taken"
            % (f"{len(reply['answer']):,}", f"{MAX_ANSWER_CHARS:,}")
        )
    return reply


def result_of(given: Any) -> Dict[str, Any]:
    """`{pass | score, why?}` of what a check gave. Raises Wrong."""
    value, why = given, None
    if isinstance(given, dict):
        value, why = given.get("score", given.get("pass")), given.get("why")
    if hasattr(value, "item"):  # A scalar of numpy.
        value = value.item()
    if isinstance(value, bool) and not (isinstance(given, dict) and "score" in given):
        found: Dict[str, Any] = {"pass": value}
    elif isinstance(value, (bool, int, float)) and 0 <= value <= 1:
        found = {"score": float(value)}
    elif isinstance(value, (int, float)):
        raise Wrong("it gave %r; a number is from 0 to 1" % value)
    else:
        raise Wrong(
            "it gave %s; return True or False, a number from 0 to 1, or {'pass' or 'score': ..., 'why': text}"
            % _kind(given)
        )
    return found if why is None else {**found, "why": str(why)}


def _kind(value: Any) -> str:
    return "None" if value is None else "a value of type %s" % type(value).__name__


def words_of(error: BaseException) -> str:
    """The last line of a traceback, and where that was."""
    if isinstance(error, Wrong):
        return str(error)[:TOLD_CHARS]
    place = traceback.extract_tb(error.__traceback__)[-1:]
    where = " (%s, line %s)" % (place[0].name, place[0].lineno) if place else ""
    return traceback.format_exception_only(type(error), error)[-1].strip()[:TOLD_CHARS] + where
