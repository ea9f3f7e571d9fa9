"""The rounds of a sort, with tasks that only say what would run. test_cluster.py runs real ones."""

import pytest

from gpusort_dask import GpusortError
from gpusort_dask import sort as sort_function
from gpusort_dask.sort import UNKNOWN_MEMORY_BYTES, _groups, _have_gpus, _Job, _memory_of_task, _places

RUNS, PARTS = 3, 2
MISSING = GpusortError("it is missing\n  run gpusort job sort J 1, then this task again", 4)
SUCCESS = {"job": "1234"}


class Said:
    """Tasks of a job. `failures` has for a kind the errors of its calls, or None; then it succeeds."""

    def __init__(self, failures, finished=False):
        self.calls = []
        self.failures = {kind: list(errors) for kind, errors in failures.items()}
        self.sorted, self.merged = set(), set(range(PARTS) if finished else [])
        self.finished = finished

    def one(self, kind, words):
        if kind == "status":
            done = {"sorted": sorted(self.sorted), "merged": sorted(self.merged)}
            return {"runs": RUNS, "parts": PARTS, "finished": self.finished, **done}
        self.calls.append(kind)
        error = self.failure(kind)
        if kind == "finish":
            if error:
                self.merged.clear()
            elif len(self.merged) < PARTS:
                error = MISSING
            self.finished = error is None
        if error:
            raise error
        return SUCCESS

    def all(self, kind, words):
        self.calls.append((kind, list(words)))
        error = self.failure(kind)
        if kind == "sort":
            self.sorted |= set(words)
        elif error:
            self.sorted -= {1}
        else:
            self.merged |= set(words)
        return {1: error} if error else {}

    def failure(self, kind):
        errors = self.failures.get(kind)
        return errors.pop(0) if errors else None


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)


def calls_of(tasks, rounds=5):
    assert _Job(tasks, "/J", [], []).run(rounds) == SUCCESS
    return tasks.calls


SORT_ALL, MERGE_ALL = ("sort", [0, 1, 2]), ("merge", [0, 1])


def test_one_round_does_all():
    assert calls_of(Said({})) == [SORT_ALL, "cut", MERGE_ALL, "finish"]


def test_a_finished_job_is_only_checked():
    assert calls_of(Said({}, finished=True)) == ["finish"]


def test_a_cut_that_misses_something_has_every_run_looked_at_again():
    expected = [SORT_ALL, "cut", "finish", SORT_ALL, "cut", MERGE_ALL, "finish"]
    assert calls_of(Said({"cut": [MISSING]})) == expected


def test_a_run_that_a_part_misses_is_sorted_again():
    expected = [SORT_ALL, "cut", MERGE_ALL, "finish", ("sort", [1]), "cut", MERGE_ALL, "finish"]
    assert calls_of(Said({"merge": [MISSING]})) == expected


def test_an_output_that_was_damaged_after_the_end_is_made_again():
    expected = ["finish", SORT_ALL, "cut", MERGE_ALL, "finish"]
    assert calls_of(Said({"finish": [MISSING]}, finished=True)) == expected


@pytest.mark.parametrize("kind", ["cut", "merge", "finish"])
def test_it_gives_up_after_the_last_round(kind):
    tasks = Said({kind: [MISSING] * 9})
    with pytest.raises(GpusortError, match="^it is missing"):
        _Job(tasks, "/J", [], []).run(3)
    assert [call for call in tasks.calls if kind in (call, call[0])] != []
    assert len(tasks.failures[kind]) == 9 - 3


@pytest.mark.parametrize("kind", ["cut", "finish"])
def test_an_error_that_no_round_mends_ends_it(kind):
    tasks = Said({kind: [GpusortError("no space left on device", 4)]})
    with pytest.raises(GpusortError, match="^no space"):
        _Job(tasks, "/J", [], []).run(3)


class SaidOfGroups(Said):
    """Tasks of which some are about several parts. It keeps their command lines."""

    def all(self, kind, words):
        numbers = {int(word) for line in words.values() for word in line[line.index("/J") + 1 :]}
        errors = super().all(kind, numbers)
        self.calls[-1] = (kind, dict(words))
        return errors


def test_many_parts_are_merged_by_few_tasks():
    tasks = SaidOfGroups({})
    assert _Job(tasks, "/J", ["--device", "cpu"], [], merges=1).run(1) == SUCCESS
    line = ["job", "merge", "-q", "--device", "cpu", "/J"]
    assert tasks.calls[2] == ("merge", {"0-to-1": [*line, "0", "1"]})
    assert list(tasks.calls[0][1]) == [0, 1, 2]  # runs are long


@pytest.mark.parametrize("count", range(12))
@pytest.mark.parametrize("most", range(1, 6))
def test_groups_are_in_order_at_most_so_many_and_of_about_one_length(count, most):
    groups = _groups(range(10, 10 + count), most)
    assert [index for group in groups for index in group] == list(range(10, 10 + count))
    assert len(groups) <= most and len({len(group) for group in groups[:-1]}) <= 1


def test_places_are_threads_or_what_resources_allow():
    with_gpus = [{"nthreads": 4, "resources": {"GPU": 2}}, {"nthreads": 1, "resources": {"GPU": 8}}]
    declared = [*with_gpus, {"nthreads": 3}]
    assert _places(Declared(declared), {}) == 8
    assert _places(Declared(declared), {"GPU": 1}) == 3
    assert _places(Declared([]), {"GPU": 1}) == 1


def test_the_memory_of_a_task_is_half_of_what_the_poorest_worker_has_for_a_thread():
    gib = 2**30
    declared = [{"memory_limit": 64 * gib, "nthreads": 1}, {"memory_limit": 16 * gib, "nthreads": 4}]
    assert _memory_of_task(Declared(declared)) == 2 * gib
    assert _memory_of_task(Declared([{"memory_limit": 0, "nthreads": 1}])) == UNKNOWN_MEMORY_BYTES


def test_a_gpu_counts_if_a_worker_declares_one():
    assert not _have_gpus(Declared([{}, {"resources": {"GPU": 0, "disk": 1}}]))
    assert _have_gpus(Declared([{}, {"resources": {"GPU": 2}}]))


class Declared:
    """A client whose workers declare something."""

    asynchronous = False

    def __init__(self, workers):
        self.workers = {f"tcp://{index}": worker for index, worker in enumerate(workers)}

    def scheduler_info(self, **_):
        return {"workers": self.workers}


def test_a_client_that_is_asynchronous_is_refused():
    client = Declared([])
    client.asynchronous = True
    with pytest.raises(TypeError, match="not asynchronous"):
        sort_function("in", "out", client=client)
