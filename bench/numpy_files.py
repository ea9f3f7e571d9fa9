"""python3 bench/numpy_files.py [RUNS] [TREE ...]

Times whole processes that sort files of numbers, in turns: gpusort on the CPU with all threads and with one, of each
TREE (a built project; default: this one), NumPy with and without AVX-512, and polars, if it is there. Makes the files
in /dev/shm, where the outputs go, too. Prints for each file the median and the least wall time of RUNS (default 7), and
the median CPU time, in ms. Needs NumPy.
"""

import importlib.util
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

from processes import timed

SORT = "import sys, numpy as np; a = np.fromfile(sys.argv[1], sys.argv[3]); a.sort(); a.tofile(sys.argv[2])"
POLARS = (
    "import sys, numpy as np, polars as pl; a = pl.Series(np.fromfile(sys.argv[1], sys.argv[3]));"
    " a.sort().to_numpy().tofile(sys.argv[2])"
)
AVX512 = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
DTYPES = {"u32": "u4", "u64": "u8", "f64": "f8"}
FILES = [(10, "u32"), (2**16, "u32")]
FILES += [(2**p, t) for p in (20, 22) for t in ("u32", "f64", "u64")] + [(2**22, "growing u64")]
FILES += [(2**24, t) for t in ("u32", "f64", "u64")] + [(2**26, "u32")]


def keys(count, kind):
    """Uniform integers, normal floats, or integers that grow along the file."""
    random = np.random.default_rng(1)
    if kind == "f64":
        return random.standard_normal(count)
    if kind == "growing u64":
        return np.arange(count, dtype="u8") * 1000 + random.integers(0, 10**6, count, dtype="u8")
    return random.integers(0, 2 ** (8 * int(DTYPES[kind][1])), count, dtype=DTYPES[kind])


runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
trees = sys.argv[2:] or [str(pathlib.Path(__file__).parent.parent)]
with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
    for count, kind in FILES:
        suffix = kind.split()[-1]
        path, out = f"{folder}/keys.{suffix}", f"{folder}/out.{suffix}"
        keys(count, kind).tofile(path)
        commands = {}
        for tree in trees:
            gpusort = ["node", f"{tree}/bin/gpusort.js", path, "-o", out, "--force", "--device", "cpu"]
            commands[tree] = (gpusort, None)
            commands[f"{tree}, one thread"] = ([*gpusort, "--threads", "1"], None)
        numpy = [sys.executable, "-c", SORT, path, out, DTYPES[suffix]]
        commands["NumPy"] = (numpy, None)
        commands["NumPy without AVX-512"] = (numpy, {"NPY_DISABLE_CPU_FEATURES": AVX512})
        if importlib.util.find_spec("polars"):
            commands["polars"] = ([sys.executable, "-c", POLARS, path, out, DTYPES[suffix]], None)
        times = {name: [] for name in commands}
        for _ in range(runs):
            for name, (command, environment) in commands.items():
                quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
                times[name].append(timed(command, environment, **quiet))
        print(f"{count} {kind}")
        for name, runs_of in times.items():
            wall, cpu, _ = ([1e3 * one for one in column] for column in zip(*runs_of))
            middle = statistics.median
            print(f"  {name}: {middle(wall):.0f} ({min(wall):.0f}), CPU {middle(cpu):.0f}", flush=True)
