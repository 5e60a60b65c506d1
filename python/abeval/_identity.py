"""By what a function is known: its source and what it is bound to. Runs of one identity count together."""

from __future__ import annotations

import functools
import hashlib
import inspect
import textwrap
import types
from typing import Any, Dict, Iterator, Optional, Set

_PLAIN = (str, bytes, int, float, complex, bool, type(None))


class _Unreadable(Exception):
    """Something decides what the function does, and it cannot be read."""


def version_of(function: Any) -> Optional[str]:
    """The SHA-256 of a function's source, defaults, closure, and the plain values and functions of its module it names.

    None where the source cannot be read, or where it is bound to an object that is no plain value.
    """
    try:
        return hashlib.sha256(repr(_parts(function, {})).encode("utf-8", "surrogatepass")).hexdigest()
    except _Unreadable:
        return None


def _parts(function: Any, seen: Dict[int, int]) -> Any:
    """What a digest is made of. A function that was met before is its number, so that recursion ends."""
    if id(function) in seen:
        return ("again", seen[id(function)])
    seen[id(function)] = len(seen)
    if isinstance(function, functools.partial):
        return ("partial", _parts(function.func, seen), _value(function.args, seen), _value(function.keywords, seen))
    if not isinstance(function, types.FunctionType):
        raise _Unreadable
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        raise _Unreadable from None
    bound = [_value(_content(cell), seen) for cell in function.__closure__ or ()]
    defaults = _value((function.__defaults__, function.__kwdefaults__), seen)
    # Lambdas of one line have the same source.
    own = [repr(one) for one in function.__code__.co_consts if isinstance(one, _PLAIN)], function.__code__.co_names
    return (source, own, bound, defaults, _globals(function, seen))


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # Not bound yet.
        return None


def _globals(function: types.FunctionType, seen: Dict[int, int]) -> Any:
    """Plain values and functions of its own module; what others wrote is known by its name in the source."""
    found = []
    for name in sorted(names_in(function.__code__)):
        value = function.__globals__.get(name)
        if isinstance(value, types.FunctionType) and value.__module__ == function.__module__:
            found.append((name, _parts(value, seen)))
        elif isinstance(value, (*_PLAIN, tuple, list, dict, set, frozenset)):
            try:
                found.append((name, _value(value, seen)))
            except _Unreadable:
                found.append((name, "an object"))
    return found


def _value(value: Any, seen: Dict[int, int]) -> Any:
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *(_value(one, seen) for one in value)]
    if isinstance(value, (set, frozenset)):
        return sorted(repr(_value(one, seen)) for one in value)
    if isinstance(value, dict):
        return [(_value(key, seen), _value(one, seen)) for key, one in value.items()]
    if isinstance(value, (types.FunctionType, functools.partial)):
        return _parts(value, seen)
    raise _Unreadable


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from _codes(one)


def names_in(code: types.CodeType) -> Set[str]:
    """Names that a function and those in it look up."""
    return {name for one in _codes(code) for name in one.co_names}


def texts_in(function: Any) -> Set[str]:
    """Texts that stand in a function, and in those of its module that it calls: the columns that it may read."""
    texts: Set[str] = set()
    waiting, seen = [function], set()
    while waiting:
        one = waiting.pop()
        if isinstance(one, functools.partial):
            one = one.func
        code = getattr(one, "__code__", None) or getattr(getattr(one, "__func__", None), "__code__", None)
        if code is None or code in seen:
            continue
        seen.add(code)
        texts.update(text for part in _codes(code) for text in part.co_consts if isinstance(text, str))
        known = getattr(one, "__globals__", {})
        waiting.extend(known[name] for name in names_in(code) if isinstance(known.get(name), types.FunctionType))
    return texts
