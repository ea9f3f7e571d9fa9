"""A command as a child of a worker: what it prints, how it fails, and when it ends."""

import os
import pickle
import signal
import subprocess
import sys

import psutil
import pytest

from gpusort_dask import GpusortError
from gpusort_dask.child import run_command
from workers import is_gone, wait_until


def shell(script):
    return ["sh", "-c", script, "sh"]


def test_reads_what_a_command_prints():
    assert run_command(["a b"], shell("""printf '{"word": "%s"}' "$1" """)) == {"word": "a b"}
    assert run_command([], shell("true")) is None


@pytest.mark.parametrize(
    ("script", "code", "message"),
    [
        ("echo notice >&2; printf 'gpusort: no file\\n  check it\\n' >&2; exit 2", 2, "no file\n  check it"),
        ("echo oops >&2; exit 3", 3, "gpusort ended with exit code 3\noops"),
        ("kill -9 $$", -9, "signal 9 ended gpusort"),
    ],
)
def test_an_error_has_the_message_and_the_code(script, code, message):
    with pytest.raises(GpusortError) as caught:
        run_command([], shell(script))
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.code, error.message, str(error)) == (code, message, message)
    assert error.may_pass == (code != 2)


def test_a_command_that_does_not_exist_says_what_to_do():
    with pytest.raises(GpusortError, match="no-such-command cannot be started.*\n.*GPUSORT") as caught:
        run_command([], ["no-such-command"])
    assert caught.value.code == 127


def test_the_environment_names_the_command(monkeypatch):
    monkeypatch.setenv("GPUSORT", "sh -c 'echo 7'")
    assert run_command([]) == 7


def test_only_an_error_that_names_another_task_needs_it():
    hint = "part 3 is missing\n  run gpusort job merge /a b/J 3, then this task again"
    assert GpusortError(hint, 4).needs_other_task
    assert not GpusortError(hint, 3).needs_other_task
    assert not GpusortError("no space left on device\n  free some space", 4).needs_other_task


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
def test_a_command_ends_with_its_worker(sent, tmp_path):
    note = tmp_path / "pid"
    script = f"echo $$ >{note}.new; mv {note}.new {note}; exec sleep 600"
    call = f"from gpusort_dask.child import run_command; run_command([], ['sh', '-c', {script!r}])"
    worker = subprocess.Popen([sys.executable, "-c", call])
    wait_until(note.exists)
    child = psutil.Process(int(note.read_text()))
    os.kill(worker.pid, sent)
    worker.wait()
    wait_until(lambda: is_gone(child))
