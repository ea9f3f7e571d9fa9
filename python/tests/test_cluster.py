"""Sorts on a cluster of three workers, which are killed, frozen, or have full disks. The output is right, or
there is no _SUCCESS.json.

GPUSORT_CLUSTER=full sorts 2 GiB in tasks of 64 MiB, and freezes workers for longer than a lease.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dask
import dask.array as da
import numpy as np
import pytest
from workers import HANG_SECONDS, Workers, is_gone, thaw, wait_until

from gpusort_dask import GpusortError, sort, sort_array

pytestmark = pytest.mark.cluster

FULL = os.environ.get("GPUSORT_CLUSTER") == "full"
MIB = 2**20
RECORD = 100
DATA_BYTES = 2048 * MIB if FULL else 96 * MIB
TASK_BYTES = 64 * MIB if FULL else 16 * MIB
LEASE_SECONDS = 60
FILES = 4
RECORDS = {"record": RECORD, "key": "0:10", "memory": 4 * TASK_BYTES, "run_size": TASK_BYTES, "threads": 1}
GPUSORT = os.environ.get("GPUSORT", "gpusort").split()


def gpusort(*words):
    return subprocess.run([*GPUSORT, *map(str, words)], check=True, capture_output=True, text=True).stdout


def found_in(paths):
    """What `gpusort verify` finds in files, all together as one."""
    words = ["verify", "--json", "-q", "--record", RECORD, "--key", "0:10", *paths]
    done = subprocess.run([*GPUSORT, *map(str, words)], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Files of records, and what is in them."""
    folder = tmp_path_factory.mktemp("in")
    count = DATA_BYTES // RECORD // FILES
    for file in range(FILES):
        gpusort("gen", count, "--record", RECORD, "--seed", file, "-q", "-o", folder / f"{file}.bin")
    found = found_in(sorted(folder.iterdir()))
    yield folder, (count * FILES, found["checksum"])
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    settings = {"distributed.scheduler.worker-ttl": "6s", "distributed.scheduler.allowed-failures": 100}
    with dask.config.set(settings):
        workers = Workers(tmp_path_factory.mktemp("workers"))
        yield workers
        workers.close()


@pytest.fixture
def workers(cluster):
    cluster.refill()
    return cluster


@pytest.fixture
def client(workers):
    with workers.client() as client:
        yield client


@pytest.fixture
def output(tmp_path):
    """The output of a sort. Data is removed at once, so that the disk needs no room for that of all tests."""
    yield tmp_path / "out"
    shutil.rmtree(tmp_path)


def require_sorted(found, output, expected):
    parts = sorted(path for path in output.iterdir() if path.name.startswith("part-"))
    assert [str(path) for path in parts] == [part.path for part in found.parts]
    verified = found_in(parts)
    assert (verified["count"], verified["checksum"]) == expected
    assert verified["inversions"] == 0
    assert (found.items, found.checksum) == expected
    assert (output / "_SUCCESS.json").exists()


def receipts(output, folder):
    return list(Path(f"{output}.job", folder).glob("*.json"))


def started(client, inputs, output, **options):
    """A sort that runs in a thread, and what it returns."""
    with_options = {**RECORDS, **options}
    return ThreadPoolExecutor(1).submit(sort, inputs / "*.bin", output, client=client, **with_options)


def worker_that_runs(workers, kind):
    """Waits until a worker runs a command of a kind."""
    return wait_until(lambda: next((w for w in workers.all if w.commands(kind)), None), f"a {kind}")


def busy_worker(workers, output, kind):
    """Waits until some tasks of a kind are done, and a worker runs another one."""
    folder = {"sort": "runs", "merge": "parts"}[kind]
    first = f"the first receipts in {folder}"
    wait_until(lambda: len(receipts(output, folder)) >= 2, first)
    return worker_that_runs(workers, kind)


def test_sorts_records_and_returns_at_once_the_second_time(client, inputs, output):
    folder, expected = inputs
    began = time.monotonic()
    found = sort(folder / "*.bin", output, client=client, **RECORDS)
    print(f"sorted {DATA_BYTES / MIB:.0f} MiB in {time.monotonic() - began:.1f} s", file=sys.stderr)
    require_sorted(found, output, expected)
    assert found.inputs == FILES and found.input_bytes == expected[0] * RECORD
    assert len(found.parts) == -(-expected[0] // (TASK_BYTES // RECORD))
    assert not [path for path in Path(f"{output}.job", "runs").iterdir() if path.suffix != ".json"]
    before = (output / "_SUCCESS.json").stat()
    assert sort(folder / "*.bin", output, client=client, **RECORDS) == found
    assert (output / "_SUCCESS.json").stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("kind", ["sort", "merge"])
def test_a_worker_is_killed(workers, client, inputs, output, kind):
    folder, expected = inputs
    running = started(client, folder, output)
    victim = busy_worker(workers, output, kind)
    commands = victim.commands()
    victim.kill()
    for command in commands:
        wait_until(lambda: is_gone(command), "the end of the killed worker's command")
    require_sorted(running.result(), output, expected)


LINGERS = '"$@"; code=$?; case " $* " in *" job {} "*) sleep 1 ;; esac; exit $code'


@pytest.mark.parametrize("kind", ["plan", "cut", "finish"])
def test_a_worker_is_killed_in_a_short_phase(workers, client, inputs, output, kind):
    folder, expected = inputs
    # The command ends some time after its work, so that it is there to be found: at work, or with its work done.
    lingering = ["sh", "-c", LINGERS.format(kind), "sh", *GPUSORT]
    running = started(client, folder, output, command=lingering)
    worker_that_runs(workers, kind).kill()
    require_sorted(running.result(), output, expected)


@pytest.mark.parametrize("kind", ["sort", "merge"])
def test_a_worker_is_frozen_and_comes_back(workers, client, inputs, output, kind):
    folder, expected = inputs
    running = started(client, folder, output)
    victim = busy_worker(workers, output, kind)
    began = time.monotonic()
    frozen = victim.freeze()
    try:
        found = running.result()
        require_sorted(found, output, expected)
        if FULL:
            time.sleep(max(0, LEASE_SECONDS + 5 - (time.monotonic() - began)))
    finally:
        thaw(frozen)
    # What it ran ends with it, or writes the same bytes once more.
    for process in frozen[1:]:
        wait_until(lambda: is_gone(process), what="the end of the frozen worker's command")
    require_sorted(found, output, expected)
    assert sort(folder / "*.bin", output, client=client, **RECORDS) == found
    if victim.process.is_running():
        workers.stop(victim)


def test_two_clients_sort_the_same_at_once(workers, client, inputs, output):
    folder, expected = inputs
    with workers.client() as other:
        running = [started(each, folder, output) for each in (client, other)]
        first, second = [each.result() for each in running]
    assert first == second
    require_sorted(first, output, expected)


def test_results_damaged_between_phases_are_made_again(client, inputs, output):
    folder, expected = inputs
    found = sort(folder / "*.bin", output, client=client, keep_runs=True, **RECORDS)
    runs = Path(f"{output}.job", "runs")
    for part in [*receipts(output, "parts"), *map(Path, (part.path for part in found.parts))]:
        part.unlink()
    (output / "_SUCCESS.json").unlink()
    receipt = runs / "00000.json"
    receipt.write_text(receipt.read_text().replace('"written": ', '"written": 1'))
    os.truncate(runs / "00001", 1000)
    (runs / "00002.samples").write_bytes(b"none")
    (runs / "00003").unlink()
    require_sorted(sort(folder / "*.bin", output, client=client, **RECORDS), output, expected)


def test_a_run_damaged_while_parts_are_merged_is_sorted_again(client, inputs, output):
    folder, expected = inputs
    running = started(client, folder, output)
    run = Path(f"{output}.job", "runs", "00001")
    wait_until(lambda: receipts(output, "parts"), what="the first part")
    before = (run.parent / "00001.json").stat().st_mtime_ns
    os.truncate(run, 1000)
    require_sorted(running.result(), output, expected)
    assert (run.parent / "00001.json").stat().st_mtime_ns > before


def test_a_part_damaged_after_the_end_is_made_again(client, inputs, output):
    folder, expected = inputs
    found = sort(folder / "*.bin", output, client=client, **RECORDS)
    with open(found.parts[1].path, "r+b") as part:
        part.write(b"\xff" * RECORD)
    require_sorted(sort(folder / "*.bin", output, client=client, **RECORDS), output, expected)


def test_an_input_that_changes_ends_the_sort_and_its_commands(workers, client, inputs, output, tmp_path):
    folder = tmp_path / "in"
    shutil.copytree(inputs[0], folder)
    running = started(client, folder, output)
    busy_worker(workers, output, "sort")
    os.utime(folder / "3.bin", (1, 1))
    # A task may see the change before it reads the file, or meanwhile.
    seen = "3.bin was (changed since the job was planned|written to while it was read)"
    with pytest.raises(GpusortError, match=seen) as caught:
        running.result()
    assert caught.value.code == 2
    wait_until(lambda: not any(worker.commands() for worker in workers.all), what="the end of all commands")
    assert not (output / "_SUCCESS.json").exists()


CLIENT = """
import json, sys
from distributed import Client
from gpusort_dask import sort
address, inputs, output, options = sys.argv[1:]
sort(inputs, output, client=Client(address), **json.loads(options))
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_commands_end_with_their_client_and_the_next_one_goes_on(workers, client, inputs, output, sent):
    folder, expected = inputs
    words = [workers.address, folder / "*.bin", output, json.dumps(RECORDS)]
    call = [sys.executable, "-c", CLIENT, *map(str, words)]
    first = subprocess.Popen(call, stderr=subprocess.PIPE, text=True)
    busy_worker(workers, output, "sort")
    first.send_signal(sent)
    _, err = first.communicate(timeout=HANG_SECONDS)
    assert first.returncode != 0 and (sent == signal.SIGKILL or "KeyboardInterrupt" in err), err
    wait_until(lambda: not any(worker.commands() for worker in workers.all), "the end of all commands")
    assert not (output / "_SUCCESS.json").exists()
    before = {path: path.stat().st_mtime_ns for path in receipts(output, "runs")}
    assert before
    require_sorted(sort(folder / "*.bin", output, client=client, **RECORDS), output, expected)
    assert {path: path.stat().st_mtime_ns for path in before} == before


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 MiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("SKIPPED: only root mounts a small file system, so no disk is full in this test")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_of_one_worker_is_left_to_the_others(workers, inputs, output, small_disk):
    folder, expected = inputs
    (small_disk / "ballast").write_bytes(bytes(64 * MIB - 4096))
    for worker in list(workers.all):
        workers.stop(worker)
    [full] = workers.start(1, {"TMPDIR": str(small_disk)})
    # Runs that are larger than the memory need temporary files. The other workers come when one has failed, as
    # otherwise they may take all tasks.
    options = {"memory": TASK_BYTES, "run_size": 3 * TASK_BYTES, "parts": 5, "retries": 20}
    with workers.client() as client:
        running = started(client, folder, output, **options)
        wait_until(lambda: "GpusortError" in full.log.read_text(), what="the failure of a task")
        workers.refill()
        require_sorted(running.result(), output, expected)
    workers.stop(full)


def test_a_full_disk_for_all_publishes_nothing(client, inputs, small_disk):
    folder, expected = inputs
    output = small_disk / "out"
    job = f"{inputs[0]}.job"
    try:
        with pytest.raises(GpusortError, match="(?i)no space|full") as caught:
            sort(folder / "*.bin", output, client=client, job=job, retries=1, **RECORDS)
        assert caught.value.code == 4
        assert not (output / "_SUCCESS.json").exists()
        size = f"remount,size={2 * DATA_BYTES}"
        subprocess.run(["mount", "-o", size, small_disk], check=True)
        require_sorted(sort(folder / "*.bin", output, client=client, job=job, **RECORDS), output, expected)
    finally:
        shutil.rmtree(job, ignore_errors=True)


TYPES = ["u1", "f2", ">f8"]
MORE_TYPES = ["i1", "u2", "i2", "i4", "u4", "i8", "u8", "f4", "f8"]


@pytest.mark.parametrize("dtype", TYPES + (MORE_TYPES if FULL else []))
def test_sorts_arrays_as_numpy(client, tmp_path, dtype):
    values = random_numbers(np.dtype(dtype), 300_001)
    x = da.from_array(values, chunks=120_000)
    y = sort_array(x, folder=tmp_path, client=client)
    assert y.chunks == ((100_000, 100_000, 100_001),)
    with dask.config.set(scheduler="synchronous"):
        np.testing.assert_array_equal(y.compute(), np.sort(values))
    assert y.dtype == np.dtype(dtype).newbyteorder("=") == y.compute().dtype
    [folder] = tmp_path.iterdir()
    assert [path.name for path in folder.iterdir()] == ["sorted"]


def random_numbers(dtype, count):
    rng = np.random.default_rng(7)
    values = rng.integers(0, 256, count * dtype.itemsize, "u1").view(dtype)
    if dtype.kind == "f":
        values = values.copy()
        values[rng.integers(0, count, count // 10)] = np.nan
        values[:4] = [0.0, -0.0, np.inf, -np.inf]
    return values


def test_sorts_an_array_of_unknown_chunks(client, tmp_path):
    values = random_numbers(np.dtype("f8"), 50_000)
    x = da.from_array(values, chunks=10_000)
    x = x[(x > 0) | (x != x)]
    y = sort_array(x, folder=tmp_path, client=client, parts=3, descending=True)
    kept = values[(values > 0) | (values != values)]
    np.testing.assert_array_equal(y.compute(), np.sort(kept)[::-1])


def test_sorts_an_array_of_nothing(client, tmp_path):
    x = da.from_array(np.array([], "i4"), chunks=1)
    assert sort_array(x, folder=tmp_path, client=client).compute().tolist() == []


def test_a_failed_sort_of_an_array_leaves_nothing(client, tmp_path):
    with pytest.raises(GpusortError):
        sort_array(da.arange(9, chunks=3), folder=tmp_path, client=client, device="no such device", retries=0)
    assert list(tmp_path.iterdir()) == []
