"""Finds the program, runs it, and ends it."""

from __future__ import annotations

import collections
import os
import shutil
import signal
import stat
import subprocess
import sys
from typing import Dict, List, Optional

#: What it does after an interrupt is to write its report. A second one ends it at once.
SECONDS_TO_END = 20
LINES_TOLD = 12
#: Statuses of `abeval run` with which a document is on standard output: a result, and no usable judgement.
WITH_RESULT = (0, 3, 4)
OF_THIS_WHEEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "abeval")


class AbevalError(Exception):
    """abeval could not compare. The message says why and what to do."""


def find_program() -> str:
    """The absolute path of the program: ABEVAL_BIN, else that of the wheel, else `abeval` on PATH."""
    named = os.environ.get("ABEVAL_BIN")
    if named:
        if not os.path.isabs(named):
            raise AbevalError("ABEVAL_BIN is %r; give an absolute path" % named)
        return _trusted(named, "ABEVAL_BIN")
    if os.path.lexists(OF_THIS_WHEEL):
        return _trusted(OF_THIS_WHEEL, "the program of this installation")
    for directory in os.environ.get("PATH", "").split(os.pathsep):
        found = os.path.isabs(directory) and shutil.which("abeval", path=directory)
        if found:
            return _trusted(found, "abeval on PATH")
    raise AbevalError(
        "there is no program abeval: this installation has none at %s, and PATH has none. Install the wheel of your "
        "platform (Linux and macOS; on Windows inside WSL), or set ABEVAL_BIN to the absolute path of the program"
        % OF_THIS_WHEEL
    )


def _trusted(path: str, what: str) -> str:
    try:
        found = os.stat(path)
    except OSError as error:
        raise AbevalError("%s, %s, cannot be read: %s" % (what, path, error.strerror)) from None
    if not stat.S_ISREG(found.st_mode):
        raise AbevalError("%s, %s, is no file" % (what, path))
    if not os.access(path, os.X_OK):
        raise AbevalError("%s, %s, is not executable; chmod +x it" % (what, path))
    if found.st_uid not in (0, os.getuid()):
        raise AbevalError("%s, %s, belongs to another user; use one that is yours or root's" % (what, path))
    return path


def run_program(
    arguments: List[str], folder: str, stdin: str, secrets: Dict[str, str], stop: Optional["Stop"] = None
) -> str:
    """What the program prints on standard output. Its lines on standard error are shown where that is a terminal.

    Raises AbevalError with its last words, and KeyboardInterrupt when the user ended it; then it has ended.
    """
    printed = os.path.join(folder, "printed.json")
    asked = os.path.join(folder, "asked.json")
    with open(asked, "w", encoding="utf-8") as file:
        file.write(stdin)
    with open(asked, "rb") as given, open(printed, "wb") as out:
        child = _start([find_program(), *arguments], folder, given, out, secrets)
        guard = _guard(child)
        if stop is not None:
            stop.child = child
        try:
            last = _listen(child)
        except BaseException:
            _end(child)
            raise
        finally:
            # Before the program is waited for: its number may be another's then.
            guard.kill()
            guard.communicate()
            child.stderr.close()
            status = child.wait()
    with open(printed, encoding="utf-8") as file:
        text = file.read()
    if stop is not None and stop.wanted or status in WITH_RESULT and text.strip():
        return text
    if status == 130:
        raise KeyboardInterrupt
    raise AbevalError(_told(last) or "abeval ended with status %d and said nothing" % status)


class Stop:
    """Ends a program from another thread, which found out that it must be started in another way."""

    def __init__(self) -> None:
        self.child: Optional[subprocess.Popen] = None
        self.wanted = False

    def __call__(self) -> None:
        self.wanted = True
        if self.child is not None and self.child.poll() is None:
            self.child.send_signal(signal.SIGINT)


def _start(command, folder, given, out, secrets):
    # A session of its own: Ctrl-C in a terminal would reach it there and from here, and the second one ends it at once.
    try:
        return subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **secrets},
            stdin=given,
            stdout=out,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise AbevalError("%s does not start: %s" % (command[0], error.strerror)) from None


def _listen(child) -> List[str]:
    shown = sys.stderr is not None and sys.stderr.isatty()
    last = collections.deque(maxlen=LINES_TOLD)
    for line in child.stderr:
        text = line.decode("utf-8", "replace")
        last.append(text)
        if shown:
            sys.stderr.write(text)
            sys.stderr.flush()
    return list(last)


def _guard(child) -> subprocess.Popen:
    """Interrupts the program when this process is killed, which closes the guard's input."""
    command = ["/bin/sh", "-c", 'read -r _; kill -INT "$0"', str(child.pid)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, **quiet)


def _end(child) -> None:
    """Interrupts, and kills what does not end by that, or at the next interrupt."""
    try:
        if child.poll() is None:
            child.send_signal(signal.SIGINT)
        child.communicate(timeout=SECONDS_TO_END)
    except BaseException:
        child.kill()


def _told(lines: List[str]) -> str:
    """Its own words about what went wrong, where it has some, without what stood above them."""
    text = "".join(lines)
    return (text[text.index("abeval: ") + len("abeval: ") :] if "abeval: " in text else text).strip()
