"""Serves functions on a loopback port, for the program alone: who lacks the secret gets nothing."""

from __future__ import annotations

import asyncio
import hmac
import inspect
import json
import secrets
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Set
from urllib.parse import unquote

from ._functions import CheckContext, Context, Row, Wrong, answer_of, extras_of, result_of, words_of

#: The program posts at most 8 MiB.
MAX_BODY_BYTES = 16 * 2**20
MAX_CONNECTIONS = 256
SECONDS_TO_SEND = 30
#: What was cancelled ends in less.
SECONDS_TO_RETURN = 0.2
SECRET_HEADER = "x-abeval-secret"
SECRET_VARIABLE = "ABEVAL_ENDPOINT_SECRET"


class _Again(Wrong):
    """It begins anew, knowing that the check scores."""


@dataclass
class Failures:
    words: str
    error: BaseException
    count: int = 1

    def __str__(self) -> str:
        return "%s%s" % (self.words, "" if self.count == 1 else " (%d times)" % self.count)


class Served:
    """Functions behind a port, until `close`. `arms` and `checks` are called with what the program posts."""

    def __init__(self, arms: Dict[str, Callable], checks: Dict[str, Callable], withheld: Dict[str, str]):
        self.secret = secrets.token_urlsafe(32)
        self._arms = {name: (one, extras_of(one, ("context",), "arm %r" % name)) for name, one in arms.items()}
        self._checks = {
            name: (one, extras_of(one, ("row", "context"), "check %r" % name)) for name, one in checks.items()
        }
        self._withheld = withheld
        #: By function, how often it failed, and the first time.
        self.failures: Dict[str, Failures] = {}
        #: Called with the name of a check that gave a number, and is not known to.
        self.on_number: Callable[[str], Any] = lambda name: None
        #: Checks whose number is a score.
        self.scored: FrozenSet[str] = frozenset()
        self._lock = threading.Lock()
        self._running: List[str] = []
        self._loop = asyncio.new_event_loop()
        try:
            self._server = _Server(("127.0.0.1", 0), _handler(self))
        except OSError as error:
            self._loop.close()
            raise OSError("no port of this machine can be opened for the functions: %s" % error) from error
        self._threads = [
            threading.Thread(target=self._loop.run_forever, name="abeval-async", daemon=True),
            threading.Thread(target=self._server.serve_forever, args=(0.05,), name="abeval-http", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def url(self) -> str:
        return "http://127.0.0.1:%d" % self._server.server_address[1]

    def close(self) -> None:
        """Frees the port and cancels what is awaited. A plain function cannot be stopped: its thread ends with it."""
        if self._loop.is_closed():
            return
        self._server.shutdown()
        self._server.server_close()
        asyncio.run_coroutine_threadsafe(_cancel_all(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        for thread in self._threads:
            thread.join()
        self._loop.close()
        for thread in list(self._server.threads):
            thread.join(SECONDS_TO_RETURN)

    def _call(self, function: Callable, *given: Any) -> Any:
        found = function(*given)
        if inspect.isawaitable(found):
            return asyncio.run_coroutine_threadsafe(_awaited(found), self._loop).result()
        return found

    def answer(self, name: str, asked: Dict[str, Any]) -> Dict[str, Any]:
        function, extras = self._arms[name]
        asked_row = asked.get("input") or {}
        row = Row(asked_row.get("values") or {})
        row.withheld = self._withheld
        context = Context(
            asked.get("trial", 1),
            asked.get("seed", ""),
            asked.get("messages", []),
            asked.get("follow_up", 0),
            asked_row.get("id"),
        )
        return answer_of(self._call(function, row, *[context for _ in extras]))

    def check(self, name: str, asked: Dict[str, Any]) -> Dict[str, Any]:
        answer = asked.get("answer")
        if answer is None:
            return {"pass": False, "score": 0, "why": "there is no answer"}
        function, extras = self._checks[name]
        values = {
            "row": (asked.get("input") or {}).get("values") or {},
            "context": CheckContext(asked.get("steps") or [], asked.get("change")),
        }
        found = result_of(self._call(function, answer, *[values[extra] for extra in extras]))
        if name not in self.scored and "score" in found:
            self.on_number(name)
            raise _Again("it gave a number, and it was not known that it would")
        if name in self.scored and "pass" in found:
            found["score"] = float(found.pop("pass"))
        return found

    def told(self) -> Dict[str, str]:
        """By function, as `arm new`, what went wrong in it."""
        with self._lock:
            hanging = {who: "it has not returned" for who in self._running}
            return {**hanging, **{who: str(one) for who, one in self.failures.items()}}

    def _noting(self, who: str, call: Callable[[], Any]) -> Any:
        with self._lock:
            self._running.append(who)
        try:
            return call()
        except _Again:
            raise
        except BaseException as error:
            with self._lock:
                if who in self.failures:
                    self.failures[who].count += 1
                else:
                    self.failures[who] = Failures(words_of(error), error)
            raise
        finally:
            with self._lock:
                self._running.remove(who)

    def find(self, path: str) -> Optional[Callable]:
        kind, _, name = unquote(path).lstrip("/").partition("/")
        if kind == "arms" and name in self._arms:
            return lambda asked: self._noting("arm " + name, lambda: self.answer(name, asked))
        if kind == "checks" and name in self._checks:
            return lambda asked: self._noting("check " + name, lambda: self.check(name, asked))
        return None


async def _awaited(one: Any) -> Any:
    return await one


async def _cancel_all() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.wait(others, timeout=2) if others else None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Closing waits for no function that hangs.
    block_on_close = False

    def __init__(self, *given: Any) -> None:
        self._places = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self.threads: Set[threading.Thread] = set()
        super().__init__(*given)

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._places.acquire(blocking=False):
            return self.shutdown_request(request)
        return super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        self.threads.add(threading.current_thread())
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.threads.discard(threading.current_thread())
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever closed the connection asks for nothing any more."""


def _handler(served: Served) -> type:
    class Handler(BaseHTTPRequestHandler):
        timeout = SECONDS_TO_SEND

        def log_message(self, format: str, *given: Any) -> None:
            """Requests are nobody's news."""

        def do_POST(self) -> None:
            given = self.headers.get(SECRET_HEADER, "").encode("latin-1", "replace")
            if not hmac.compare_digest(given, served.secret.encode()):
                return self._reply(403, "only the abeval that this program started may ask")
            call = served.find(self.path)
            length = self.headers.get("content-length", "")
            if call is None:
                return self._reply(404, "no such function")
            if not length.isdecimal() or len(length) > 9 or int(length) > MAX_BODY_BYTES:
                return self._reply(413, "the request has more than %d bytes, or does not say" % MAX_BODY_BYTES)
            body = self.rfile.read(int(length))
            self._reply(*_done(call, body))

        def _reply(self, status: int, content: Any) -> None:
            is_text = isinstance(content, str)
            body = content.encode("utf-8", "replace") if is_text else content
            self.send_response(status)
            self.send_header("content-type", "text/plain; charset=utf-8" if is_text else "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


def _done(call: Callable, body: bytes) -> tuple:
    """Status and content of the reply. Whatever the function raises is told, by the last line of its traceback."""
    try:
        found = call(json.loads(body))
        return 200, json.dumps(found, allow_nan=False).encode()
    except BaseException as error:  # A function that calls sys.exit ends itself alone.
        return 500, words_of(error)
