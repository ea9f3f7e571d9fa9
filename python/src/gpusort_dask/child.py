"""A command of gpusort as a child of a Dask worker."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from distributed import get_worker

from gpusort_dask import ends_with_parent
from gpusort_dask.errors import GpusortError

#: How often a task looks whether it is still wanted.
LOOK_SECONDS = 0.25

#: How long a child may take to end, before it is killed.
END_SECONDS = 5.0


def run_command(words: Sequence[str], command: Sequence[str] | None = None, delay: float = 0) -> Any:
    """Runs a command of gpusort, and waits for it. A task of Dask that is cancelled ends its command.

    Args:
        words: what follows the command's name.
        command: how gpusort is called. Default: the environment variable GPUSORT, split as a shell does; else
            `gpusort`.
        delay: seconds to wait before.

    Returns:
        what it printed, read as JSON; None if it printed nothing.

    Raises:
        GpusortError: if it exits with another code than 0, or if nobody waits for the task any more.
    """
    is_wanted, worker = _task()
    _sleep(delay, is_wanted)
    call = list(command) if command else shlex.split(os.environ.get("GPUSORT", "")) or ["gpusort"]
    with subprocess.Popen(
        [sys.executable, "-I", "-S", ends_with_parent.__file__, str(os.getpid()), *call, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as child:
        try:
            out, err = _wait(child, is_wanted)
        finally:
            _end(child)
    if child.returncode == 0:
        return json.loads(out) if out.strip() else None
    if not is_wanted():
        raise GpusortError("nobody waits for this task any more", child.returncode, worker)
    raise GpusortError(_message(err, child.returncode), child.returncode, worker)


def _wait(child: subprocess.Popen[str], is_wanted: Callable[[], bool]) -> tuple[str, str]:
    while True:
        try:
            return child.communicate(timeout=LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            if not is_wanted():
                _end(child)


def _end(child: subprocess.Popen[str]) -> None:
    """Ends a child and what it started. gpusort removes its temporary files when it is told to end."""
    if child.poll() is not None:
        return
    os.killpg(child.pid, signal.SIGTERM)
    try:
        child.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)


def _sleep(seconds: float, is_wanted: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while is_wanted() and (left := end - time.monotonic()) > 0:
        time.sleep(min(left, LOOK_SECONDS))


def _message(err: str, code: int) -> str:
    """The error that gpusort printed at last, without its name."""
    lines = err.strip().splitlines()
    for at in range(len(lines) - 1, -1, -1):
        if lines[at].startswith("gpusort: "):
            return "\n".join(lines[at:]).removeprefix("gpusort: ")
    how = f"signal {-code} ended gpusort" if code < 0 else f"gpusort ended with exit code {code}"
    return "\n".join([how, *lines[-20:]])


def _task() -> tuple[Callable[[], bool], str | None]:
    """Whether the task of this thread is still wanted, and the address of its worker.

    Dask cannot stop a thread, and has no public way to learn in a task that it was cancelled. But the worker
    knows: then the task is forgotten, or its state is "cancelled".
    """
    try:
        worker = get_worker()
    except ValueError:  # no task of Dask
        return lambda: True, None
    key = worker.get_current_task()

    def is_wanted() -> bool:
        if worker.status.name in ("closing", "closed", "failed", "stopping"):
            return False
        task = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled"

    return is_wanted, worker.address
