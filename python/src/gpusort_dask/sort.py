"""Sorts files as tasks of Dask."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from distributed import Client, default_client

from gpusort_dask.errors import GpusortError
from gpusort_dask.options import Options, plan_words, require_known, size_words, task_words, whole_number
from gpusort_dask.sorted_files import SortedFiles, sorted_files
from gpusort_dask.tasks import Index, Tasks, workers_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

Path = str | os.PathLike[str]

#: The memory of a task where no worker says how much it has.
UNKNOWN_MEMORY_BYTES = 2**30

_MIB = 2**20

#: With more parts than so many for each place that tasks have, a task merges several parts. To start a process,
#: and to open a GPU, takes longer than to merge a small part.
_MERGES_PER_PLACE = 4


def sort(
    inputs: Path | Iterable[Path],
    output: Path,
    *,
    client: Client | None = None,
    parts: int | None = None,
    job: Path | None = None,
    command: Sequence[str] | None = None,
    memory: int | str | None = None,
    run_size: int | str | None = None,
    retries: int = 3,
    keep_runs: bool = False,
    resources: Mapping[str, float] | None = None,
    **options: Unpack[Options],
) -> SortedFiles:
    """Sorts files into the parts of one sorted output, on the workers of a Dask cluster.

    Each task runs a command of gpusort and leaves its result in a folder, so it does not matter when a worker
    is lost. Called again with the same arguments after an error or a crash, it goes on where it stopped;
    after a success, it checks the output and returns. Two clients may do so at once. While it waits, an
    interrupt (or a client that closes) ends all commands.

    All workers must see inputs, output and job at the same paths, by a file system that promises what a local
    one does: a file that was renamed is there for the next who opens it.

    Args:
        inputs: files, or patterns such as "in/*.u64", as the workers see them.
        output: the folder for the parts and `_SUCCESS.json`, which is created, or empty.
        client: default: the current client.
        parts: number of files of the output. Default: as many as there are sorted runs.
        job: the folder for the sorted runs, which take as much space as the inputs, and for receipts.
            Default: the output's path with ".job" at its end.
        command: how workers call gpusort: words, or text that is split as a shell does. Default: their
            environment variable GPUSORT, else `gpusort`.
        memory: of each task: bytes, or text such as "2G". Default: half of the least that a worker has for a
            thread.
        run_size: the most that a run holds: bytes, or text. Default: a quarter of the memory.
        retries: how often a task is tried again after a failure of a device or a disk, and how often results
            that are missing or damaged are made again.
        keep_runs: whether to leave the runs in the folder of the job.
        resources: what each task that sorts or merges takes of a worker's resources. Default: {"GPU": 1} if a
            worker declares GPUs, else nothing.
        options: what to sort and how; see `Options`.

    Returns:
        what was written.

    Raises:
        GpusortError: gpusort failed. There is no `_SUCCESS.json` then, unless of an earlier success.
        TypeError: an option does not exist.
        ValueError: there is no client.
    """
    require_known(options, "sort", parameters_of(sort), Options.__annotations__)
    retries = whole_number("retries", retries)
    client = client or current_client()
    if client.asynchronous:
        raise TypeError("sort() waits for its result, so it needs a client that is not asynchronous")
    words = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    paths = [os.path.abspath(os.fspath(path)) for path in words]
    folder = os.path.abspath(os.fspath(output))
    job_folder = os.path.abspath(os.fspath(job)) if job is not None else f"{folder}.job"

    client.wait_for_workers(1)
    if resources is None:
        resources = {"GPU": 1} if _have_gpus(client) else {}
    tasks = Tasks(client, command, resources, retries)
    sizes = [
        *size_words("--memory", memory if memory is not None else _memory_of_task(client)),
        *size_words("--run-size", run_size),
        *([] if parts is None else ["--parts", str(parts)]),
    ]
    plan = ["job", "plan", "--json", "-q", "--job", job_folder, "-o", folder]
    tasks.one("plan", [*plan, *sizes, *plan_words(options), "--", *paths])
    finish = [] if keep_runs else ["--remove-runs"]
    most = _MERGES_PER_PLACE * _places(client, resources)
    success = _Job(tasks, job_folder, task_words(options), finish, most).run(retries + 2)
    return sorted_files(folder, success)


class _Job:
    """A planned job, whose tasks run until it is finished. `merges` is the most tasks that merge its parts."""

    def __init__(
        self, tasks: Tasks, folder: str, task: Sequence[str], finish: Sequence[str], merges: int | None = None
    ) -> None:
        self._tasks = tasks
        self._merges = merges
        self._folder = folder
        self._task_words = task
        self._finish_words = finish

    def run(self, rounds: int) -> dict[str, Any]:
        """Sorts, cuts, merges and finishes; then again what turned out to be missing or damaged.

        Returns:
            what `gpusort job finish` prints.

        Raises:
            GpusortError: a task failed for good, or something is still missing after the last round.
        """
        doubts_runs = checks_first = False
        last: GpusortError | None = None
        for turn in range(rounds):
            time.sleep(min(turn, 5))
            status = self._one("status")
            try:
                # A finish takes an output back that is not right any more; only then are its runs sorted again.
                if checks_first or status["finished"]:
                    return self._finish()
            except _Unfinished as error:
                last = error.cause
            try:
                checks_first = True
                self._sort_and_merge(status, doubts_runs)
                checks_first = False
                return self._finish()
            except _Unfinished as error:
                last, doubts_runs = error.cause, error.doubts_runs
        assert last is not None
        raise last

    def _finish(self) -> dict[str, Any]:
        try:
            return self._one("finish", "-q", *self._finish_words)
        except GpusortError as error:
            if error.needs_other_task:
                raise _Unfinished(error, doubts_runs=False) from None
            raise

    def _sort_and_merge(self, status: Mapping[str, Any], doubts_runs: bool) -> None:
        # A task whose result is right returns at once. It looks at more than the status does.
        runs = range(status["runs"]) if doubts_runs else _missing(status, "sorted", "runs")
        self._all("sort", runs)
        try:
            self._one("cut", "-q")
        except GpusortError as error:
            if error.needs_other_task:
                raise _Unfinished(error, doubts_runs=True) from None
            raise
        failed = self._all("merge", _missing(self._one("status"), "merged", "parts"), self._merges)
        if failed:
            raise _Unfinished(next(iter(failed.values())), doubts_runs=doubts_runs)

    def _one(self, kind: str, *words: str) -> dict[str, Any]:
        printed: dict[str, Any] = self._tasks.one(kind, ["job", kind, "--json", *words, self._folder])
        return printed

    def _all(self, kind: str, indices: Sequence[int], most: int | None = None) -> dict[Index, GpusortError]:
        line = ["job", kind, "-q", *self._task_words, self._folder]
        groups = _groups(indices, most or len(indices))
        return self._tasks.all(kind, {_name(group): [*line, *map(str, group)] for group in groups})


def _groups(indices: Sequence[int], most: int) -> list[Sequence[int]]:
    """Cuts a sequence into at most so many others, of about one length."""
    size = max(1, -(-len(indices) // max(1, most)))
    return [indices[at : at + size] for at in range(0, len(indices), size)]


def _name(group: Sequence[int]) -> Index:
    return group[0] if len(group) == 1 else f"{group[0]}-to-{group[-1]}"


class _Unfinished(Exception):
    """Something is missing or damaged, so that the job needs another round."""

    def __init__(self, cause: GpusortError, doubts_runs: bool) -> None:
        super().__init__(cause)
        self.cause = cause
        self.doubts_runs = doubts_runs


def _missing(status: Mapping[str, Any], done: str, count: str) -> list[int]:
    there = set(status[done])
    return [index for index in range(status[count]) if index not in there]


def current_client() -> Client:
    """Raises ValueError if there is none."""
    try:
        return default_client()
    except ValueError:
        raise ValueError(
            "there is no Dask client: make one first, as distributed.Client('tcp://scheduler:8786'), "
            "or give it as client="
        ) from None


def _places(client: Client, resources: Mapping[str, float]) -> int:
    """How many tasks that take resources the workers run at a time, at least 1."""
    places = 0
    for worker in workers_of(client).values():
        has = worker.get("resources", {})
        fitting = [int(has.get(name, 0) // amount) for name, amount in resources.items() if amount > 0]
        places += min([worker.get("nthreads", 1), *fitting])
    return max(1, places)


def _have_gpus(client: Client) -> bool:
    return any(worker.get("resources", {}).get("GPU", 0) > 0 for worker in workers_of(client).values())


def _memory_of_task(client: Client) -> int:
    """Half of what the poorest worker has for a thread. It must not vary: it is part of the plan, and the
    same call must find the same plan again."""
    each = [
        worker["memory_limit"] // worker["nthreads"]
        for worker in workers_of(client).values()
        if worker.get("memory_limit") and worker.get("nthreads")
    ]
    return max(64 * _MIB, min(each, default=2 * UNKNOWN_MEMORY_BYTES) // 2 // _MIB * _MIB)


def parameters_of(function: Callable[..., object]) -> list[str]:
    """The names of a function's parameters, besides its options."""
    return [name for name in inspect.signature(function).parameters if name != "options"]
