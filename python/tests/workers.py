"""Workers of Dask as processes without nannies, which tests kill and freeze."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
from distributed import Client, LocalCluster


#: After this time something is taken to hang: no machine that works is so busy.
HANG_SECONDS = 1200


def wait_until(holds, what="it"):
    """Waits until a function returns something true, and returns that."""
    end = time.monotonic() + HANG_SECONDS
    while not (found := holds()):
        assert time.monotonic() < end, f"{what} did not happen in {HANG_SECONDS} s"
        time.sleep(0.01)
    return found


class Worker:
    """A worker of one thread, with a GPU as it says, and what it printed."""

    def __init__(self, scheduler: str, folder: Path, env: dict[str, str]) -> None:
        folder.mkdir()
        self.log = folder / "log"
        command = [sys.executable, "-m", "dask", "worker", scheduler, "--no-nanny", "--no-dashboard"]
        command += ["--nthreads", "1", "--resources", "GPU=1", "--local-directory", str(folder)]
        with self.log.open("wb") as log:
            self.process = psutil.Popen(command, env={**os.environ, **env}, stdout=log, stderr=log)

    def commands(self, kind: str = "job") -> list[psutil.Process]:
        """The commands of gpusort that it runs now."""
        try:
            return [child for child in self.process.children(recursive=True) if kind in child.cmdline()]
        except psutil.Error:
            return []

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def freeze(self) -> list[psutil.Process]:
        """Stops the worker and its commands, as if the machine slept. Returns what to `thaw`."""
        frozen = [self.process, *self.process.children(recursive=True)]
        for process in frozen:
            process.send_signal(signal.SIGSTOP)
        return frozen


def thaw(frozen: list[psutil.Process]) -> None:
    for process in frozen:
        try:
            process.send_signal(signal.SIGCONT)
        except psutil.NoSuchProcess:
            pass


def is_gone(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


class Workers:
    """A scheduler in this process, and workers that join it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._scheduler = LocalCluster(
            n_workers=0, processes=False, protocol="tcp", host="127.0.0.1", dashboard_address=None
        )
        self._count = 0
        self.all: list[Worker] = []

    @property
    def address(self) -> str:
        return self._scheduler.scheduler_address

    def start(self, number: int, env: dict[str, str] | None = None) -> list[Worker]:
        started = []
        for _ in range(number):
            started.append(Worker(self.address, self._folder / str(self._count), env or {}))
            self._count += 1
        self.all += started
        return started

    def client(self) -> Client:
        return Client(self.address)

    def refill(self, number: int = 3) -> None:
        """Replaces workers that were lost, and waits until so many are there."""
        self.all = [worker for worker in self.all if worker.process.poll() is None]
        self.start(number - len(self.all))
        wait_until(lambda: len(self._scheduler.scheduler.workers) == number, what="the start of workers")

    def stop(self, worker: Worker) -> None:
        subprocess.Popen.terminate(worker.process)
        worker.process.wait(HANG_SECONDS)
        self.all.remove(worker)

    def close(self) -> None:
        for worker in self.all:
            if worker.process.poll() is None:
                worker.kill()
        self._scheduler.close()
