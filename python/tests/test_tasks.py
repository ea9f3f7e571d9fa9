"""Commands as tasks of a small cluster in this process. A script is the command, and fails as told."""

import psutil
import pytest
from dask.utils import key_split
from distributed import Client, LocalCluster

from gpusort_dask import GpusortError
from gpusort_dask.child import run_command
from gpusort_dask.tasks import Tasks
from workers import wait_until


@pytest.fixture(scope="module")
def cluster():
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with LocalCluster(**settings) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster) as client:
        yield client


def counted(client, tmp_path, script, retries=3):
    """Tasks whose command counts its calls in a file of its argument's name, as $n."""
    count = f"f={tmp_path}/$1; echo >>$f; n=$(wc -l <$f); {script}"
    return Tasks(client, ["sh", "-c", count, "sh"], {}, retries)


def spied(client, monkeypatch):
    """The futures that a client submits from now on."""
    futures = []
    submit = client.submit
    monkeypatch.setattr(client, "submit", lambda *a, **b: futures.append(submit(*a, **b)) or futures[-1])
    return futures


def test_a_command_may_be_text(client):
    assert Tasks(client, "echo '[\"a  b\",'", {}, 0).one("plan", ["1]"]) == ["a  b", 1]


@pytest.mark.parametrize("code", [3, 4])
def test_a_failure_that_may_pass_is_tried_again_on_another_worker(client, tmp_path, monkeypatch, code):
    futures = spied(client, monkeypatch)
    assert counted(client, tmp_path, f"[ $n = 2 ] || exit {code}").all("sort", {0: ["a"]}) == {}
    failed, done = futures
    assert failed.exception().code == code
    assert client.who_has([done])[done.key] not in ([], [failed.exception().worker])


def test_it_gives_up_after_so_many_retries(client, tmp_path):
    with pytest.raises(GpusortError) as caught:
        counted(client, tmp_path, "exit 3", retries=1).all("sort", {0: ["a"]})
    assert caught.value.code == 3
    assert len((tmp_path / "a").read_text()) == 2


def test_wrong_input_is_not_tried_again_and_ends_the_other_tasks(client, tmp_path):
    script = "[ $1 = bad ] || exec sleep 100601; sleep 1; echo 'gpusort: wrong' >&2; exit 2"
    with pytest.raises(GpusortError, match="^wrong$") as caught:
        counted(client, tmp_path, script).all("sort", {0: ["good"], 1: ["bad"], 2: ["late"]})
    assert caught.value.code == 2
    assert (tmp_path / "bad").read_text() == "\n"
    wait_for_no_command("100601")


def test_a_task_that_needs_another_one_is_set_aside(client, tmp_path):
    message = "gpusort: run 0 is not sorted\\n  run gpusort job sort J 0, then this task again\\n"
    script = f"[ $1 = good ] && exit; printf '{message}' >&2; exit 4"
    aside = counted(client, tmp_path, script).all("merge", {5: ["good"], 6: ["bad"]})
    assert list(aside) == [6]
    assert (tmp_path / "bad").read_text() == "\n"


def test_the_dashboard_groups_tasks_by_kind(client, monkeypatch):
    futures = spied(client, monkeypatch)
    tasks = Tasks(client, ["true"], {}, 0)
    tasks.all("sort", {12: [], 13: []})
    tasks.one("cut", [])
    Tasks(client, ["true"], {}, 0).all("sort", {12: []})
    keys = [future.key for future in futures]
    assert [key_split(key) for key in keys] == ["gpusort-sort", "gpusort-sort", "gpusort-cut", "gpusort-sort"]
    assert keys[0].startswith("gpusort-sort-12-")
    assert len(set(keys)) == 4


@pytest.mark.parametrize("how", ["cancelled", "forgotten", "closed"])
def test_a_task_that_nobody_waits_for_ends_its_command(cluster, how):
    client = Client(cluster)
    future = client.submit(run_command, ["602"], ["sleep"], pure=False)
    wait_until(lambda: commands("602"))
    if how == "cancelled":
        client.cancel([future])
    elif how == "forgotten":
        future.release()
    else:
        client.close()
    wait_for_no_command("602")
    client.close()


def commands(word):
    return [p for p in psutil.process_iter(["cmdline"]) if word in (p.info["cmdline"] or [])]


def wait_for_no_command(word):
    wait_until(lambda: not commands(word))
