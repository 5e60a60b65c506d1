"""What a comparison found."""

from __future__ import annotations

import html as _html
import itertools
import re
from typing import Any, Dict, List


class Result:
    """A series, or a contest of more than two arms, as `abeval run` reports it.

    `str()` is the answer, its first line first. `series` is the whole document.
    """

    def __init__(self, series: Dict[str, Any], markdown: str, html: str) -> None:
        self.series = series
        #: By function, as `arm new`: what it raised first and how often, or that it hangs.
        self.failures: Dict[str, str] = {}
        #: For a pull request.
        self.markdown = markdown
        #: A page that stands alone.
        self.html = html
        self._answer = _answer(markdown, "contest" in series)

    @property
    def result(self) -> Dict[str, Any]:
        """The figures of the first line; of a contest those of each arm, under `arms`."""
        return self.series["result"] if "result" in self.series else self.series["contest"]

    @property
    def gate(self) -> Dict[str, Any]:
        """By arm: `better`, `not_worse`, or None as long as neither is shown."""
        return self.series["gate"]

    @property
    def first_line(self) -> str:
        return self._answer[0]

    @property
    def flags(self) -> List[str]:
        """What a reader should know before trusting it."""
        return self.series["flags"]

    def __str__(self) -> str:
        return "\n".join([*self._answer, *("  failed  %s: %s" % one for one in self.failures.items())])

    def __repr__(self) -> str:
        return "<abeval.Result: %s>" % self.first_line

    def __bool__(self) -> bool:
        raise TypeError(
            "a result is neither true nor false. Ask r.gate['<arm>'] in ('better', 'not_worse'), "
            "or abeval.assert_not_worse(r, '<arm>')"
        )

    def _repr_html_(self) -> str:
        page = _html.escape(self.html, quote=True)
        failed = "".join(
            "<pre>%s</pre>" % _html.escape("%s failed: %s" % one) for one in self.failures.items()
        )
        return failed + '<iframe sandbox srcdoc="%s" style="width:100%%;height:36em;border:0"></iframe>' % page


def _answer(markdown: str, is_contest: bool) -> List[str]:
    """The first line and those below it, without marks."""
    first, *rest = [line for line in markdown.split("\n")[1:] if line.strip()] or [""]
    # Arms of a contest stand in a table below.
    own = itertools.takewhile(lambda line: line.startswith(("- **", "| ") if is_contest else "- **"), rest)
    return [_plain(line) for line in (first, *own)]


def _plain(line: str) -> str:
    named = re.match(r"- \*\*(\w+)\*\* (.*)", line)
    text = "  %-8s%s" % (named[1].lower(), named[2]) if named else line.replace("**", "")
    text = re.sub("</?code>", "", text)
    return _html.unescape(text)


def assert_not_worse(result: Result, arm: str) -> None:
    """Fails with the answer unless the gate of the arm is open: it is better, or not worse."""
    _demand(result, arm, ("better", "not_worse"), "is not shown to be no worse")


def assert_better(result: Result, arm: str) -> None:
    """Fails with the answer unless the arm is better."""
    _demand(result, arm, ("better",), "is not shown to be better")


def _demand(result: Result, arm: str, wanted: tuple, words: str) -> None:
    if arm not in result.gate:
        raise ValueError("there is no arm %r; there are %s" % (arm, ", ".join(result.gate)))
    if result.gate[arm] not in wanted:
        raise AssertionError("%s %s\n%s" % (arm, words, result))
