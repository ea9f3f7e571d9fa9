"""Commands of gpusort as tasks of Dask, run again where another try may succeed."""

from __future__ import annotations

import itertools
import shlex
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from distributed import Client, Future, as_completed
from distributed.scheduler import KilledWorker

from gpusort_dask.child import run_command
from gpusort_dask.errors import STORAGE, GpusortError

#: Tells the tasks of a kind apart: the number of a run or a part, or a name for several.
Index = int | str

#: Before its second, third … try, a task waits for so many seconds. A disk that is full may not be full then.
DELAYS = (0.5, 2.0, 8.0)


class Tasks:
    """Runs commands on the workers of a client."""

    def __init__(
        self,
        client: Client,
        command: Sequence[str] | None,
        resources: Mapping[str, float],
        retries: int,
    ) -> None:
        self._client = client
        self._command = shlex.split(command) if isinstance(command, str) else list(command or ()) or None
        self._resources = dict(resources)
        self._retries = retries
        self._token = uuid.uuid4().hex[:8]
        self._count = itertools.count()

    def one(self, kind: str, words: Sequence[str]) -> Any:
        """Runs one command, on any worker. Raises as `all` does, and also what `all` sets aside."""
        done, aside = self._run(kind, {None: words}, {})
        for error in aside.values():
            raise error
        return done[None]

    def all(self, kind: str, words: Mapping[Index, Sequence[str]]) -> dict[Index, GpusortError]:
        """Runs commands that sort or merge, where the resources are. If one fails that may pass, it runs
        again, on another worker if there is one.

        Args:
            kind: what the dashboard shows.
            words: the command line of each task, by its number or name.

        Returns:
            the errors of the tasks that were set aside, as another kind of task must run first.

        Raises:
            GpusortError: of a task that fails for good, or too often. The other tasks are cancelled.
        """
        return self._run(kind, words, self._resources)[1]

    def _run(
        self,
        kind: str,
        words: Mapping[Any, Sequence[str]],
        resources: Mapping[str, float],
    ) -> tuple[dict[Any, Any], dict[Any, GpusortError]]:
        done: dict[Any, Any] = {}
        aside: dict[Any, GpusortError] = {}
        failed_on: dict[Any, list[str]] = {index: [] for index in words}
        running: dict[Future[Any], Any] = {}
        try:
            for index in words:
                running[self._submit(kind, index, words[index], resources, [])] = index
            arriving = as_completed(list(running), raise_errors=False)
            for future in arriving:
                index = running.pop(future)
                error = _error_of(future)
                if error is None:
                    done[index] = future.result()
                elif not error.may_pass:
                    raise error
                elif error.needs_other_task:
                    aside[index] = error
                elif len(failed_on[index]) >= self._retries:
                    raise error
                else:
                    failed_on[index].append(error.worker or "")
                    again = self._submit(kind, index, words[index], resources, failed_on[index])
                    running[again] = index
                    arriving.add(again)
            return done, aside
        finally:
            self._cancel(running)

    def _submit(
        self,
        kind: str,
        index: Index | None,
        words: Sequence[str],
        resources: Mapping[str, float],
        failed_on: Sequence[str],
    ) -> Future[Any]:
        # Dask groups keys by what comes before the first word with a digit. No two calls share a key, so none
        # gets what another one found out earlier.
        number = "" if index is None else f"-{index}"
        tries = len(failed_on)
        others = [address for address in workers_of(self._client) if address not in failed_on]
        return self._client.submit(
            run_command,
            list(words),
            self._command,
            DELAYS[min(tries, len(DELAYS)) - 1] if tries else 0,
            key=f"gpusort-{kind}{number}-{self._token}-{next(self._count)}",
            pure=False,
            resources=dict(resources) or None,
            **({"workers": others, "allow_other_workers": True} if tries and others else {}),
        )

    def _cancel(self, futures: Iterable[Future[Any]]) -> None:
        """Ends the commands of tasks that run: see `run_command`."""
        left = list(futures)
        if left and self._client.status == "running":
            self._client.cancel(left)


def _error_of(future: Future[Any]) -> GpusortError | None:
    if future.status == "finished":
        return None
    error = future.exception()
    if isinstance(error, GpusortError):
        return error
    if isinstance(error, KilledWorker):
        return GpusortError(f"workers were lost while they ran it: {error}", STORAGE)
    assert error is not None
    raise error


def workers_of(client: Client) -> dict[str, dict[str, Any]]:
    """What each worker declares, by its address."""
    # Without a number, some versions tell of the first five workers only.
    workers: dict[str, dict[str, Any]] = client.scheduler_info(n_workers=-1)["workers"]
    return workers
