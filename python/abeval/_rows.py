"""Rows of users as JSON has them."""

from __future__ import annotations

from typing import Any, Iterable, List, Mapping


def rows_of(given: Any) -> List[dict]:
    """Rows as JSON has them. Raises TypeError and ValueError with the place."""
    if hasattr(given, "to_dict"):
        given = given.to_dict("records")
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise TypeError("rows: give a list of dicts, or a data frame; got %s" % type(given).__name__)
    found = []
    for index, row in enumerate(given):
        if not isinstance(row, Mapping):
            raise TypeError(
                "rows[%d] is a %s; give a dict, such as {'question': 'Where?'}" % (index, type(row).__name__)
            )
        found.append({str(column): _cell(value, "rows[%d][%r]" % (index, column)) for column, value in row.items()})
    if not found:
        raise ValueError("rows: there are none; each row is one case")
    return found


def _cell(value: Any, place: str) -> Any:
    if hasattr(value, "item") and not hasattr(value, "__len__"):  # A scalar of numpy.
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        # A data frame has NaN where there is nothing.
        return value if value - value == 0 else None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): _cell(one, "%s[%r]" % (place, key)) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cell(one, "%s[%d]" % (place, index)) for index, one in enumerate(value)]
    raise TypeError(
        "%s is a %s; give texts, numbers, booleans, None, dates, and lists and dicts of them"
        % (place, type(value).__name__)
    )
