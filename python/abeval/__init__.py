"""Compare functions, models and prompts: which one is better, and how sure is that?

    import abeval

    r = abeval.compare(
        arms={"old": answer_v1, "new": answer_v2},
        rows=[{"question": "Where is my order?", "expected": "track"}],
        checks={"right": lambda answer, row: row["expected"] in answer},
    )
    print(r)

The program `abeval` does the work; this package serves the functions to it.
"""

from ._compare import compare, results
from ._functions import CheckContext, Context
from ._program import AbevalError
from ._result import Result, assert_better, assert_not_worse

try:
    from ._version import __version__
except ImportError:  # It runs from its sources.
    __version__ = "0+sources"

__all__ = [
    "AbevalError",
    "CheckContext",
    "Context",
    "Result",
    "assert_better",
    "assert_not_worse",
    "compare",
    "results",
]
