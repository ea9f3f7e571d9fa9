"""Times whole processes that sort a table by columns: gpusort, DuckDB's own COPY, polars and pyarrow, in turns.

    python3 bench/table_files.py [--dir /dev/shm] [--rows 5000000] [--runs 3] [--threads N]
        [--formats parquet,csv] [--peers gpusort,duckdb,polars,pyarrow] [--memory 8G] [--by "pickup;name"]

Needs NumPy and pyarrow; a peer that is not there is left out, which a line says. DuckDB runs by the same package as
in gpusort. Each sorts the same file to a file of the same format, with as many threads. gpusort checks its output,
too. Prints medians (and minima) of the wall time, the CPU time and the most memory of the process, and a line of
JSON for each. The keys of each output are compared with pyarrow's order.
"""
import argparse, json, os, pathlib, statistics, subprocess, sys
from processes import timed

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEYS = {"pickup": [("pickup", False)], "name": [("name", False)], "city,price:desc": [("city", False), ("price", True)]}

parser = argparse.ArgumentParser()
parser.add_argument("--dir", default="/dev/shm")
parser.add_argument("--rows", type=int, default=5_000_000)
parser.add_argument("--runs", type=int, default=3)
parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
parser.add_argument("--formats", default="parquet,csv")
parser.add_argument("--peers", default="gpusort,duckdb,polars,pyarrow")
parser.add_argument("--memory", default="8G")
parser.add_argument("--by", default=";".join(KEYS), help="the keys, with semicolons between them")
options = parser.parse_args() if __name__ == "__main__" else None

def make(path, rows, form):
    """Rides: a time, a name of 15 bytes of which two thirds are different, one of 200 cities, a price, and others."""
    import numpy as np, pyarrow as pa, pyarrow.csv as csv, pyarrow.parquet as pq
    r = np.random.default_rng(1)
    pickup = 1_600_000_000_000_000 + r.permutation(rows) * 1_000_003
    name = np.char.add("name-", np.char.zfill(r.integers(0, rows * 3 // 5, rows).astype("U"), 10))
    rides = pa.table({
        "pickup": pa.array(pickup, pa.timestamp("us")), "name": name,
        "city": np.char.add("city-", r.integers(0, 200, rows).astype("U")),
        "price": np.round(r.lognormal(3, 1, rows), 2), "a": r.integers(-(1 << 62), 1 << 62, rows),
        "b": r.integers(0, 10**9, rows), "flag": r.random(rows) < 0.5,
    })
    if form == "parquet": pq.write_table(rides, path, compression="snappy", row_group_size=122880)
    else: csv.write_csv(rides, path)

DUCKDB = """const { DuckDBInstance } = require("@duckdb/node-api");
const [source, order, target, format, threads, memory] = process.argv.slice(1);
(async () => {
  const instance = await DuckDBInstance.create(":memory:", { threads, memory_limit: memory.replace("G", "GiB") });
  const connection = await instance.connect();
  const [rows, options] = format === "parquet"
    ? [`SELECT * EXCLUDE (file_row_number) FROM read_parquet('${source}', file_row_number = true) ORDER BY ${order}, file_row_number`,
       "FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 122880"]
    : [`SELECT * FROM read_csv('${source}') ORDER BY ${order}`, "FORMAT csv, HEADER"];
  await connection.run(`COPY (${rows}) TO '${target}' (${options})`);
})();"""
POLARS = """import polars as p, sys
source, target, format, names, descending = sys.argv[1:6]
scan = p.scan_parquet(source) if format == "parquet" else p.scan_csv(source, try_parse_dates=True)
rows = scan.sort(names.split(","), descending=[one == "1" for one in descending.split(",")], maintain_order=True, nulls_last=True)
rows.sink_parquet(target, compression="snappy") if format == "parquet" else rows.sink_csv(target)"""
PYARROW = """import pyarrow.parquet as pq, pyarrow.csv as csv, pyarrow as pa, sys
source, target, format, names, descending, threads = sys.argv[1:7]
pa.set_cpu_count(int(threads))
rows = pq.read_table(source) if format == "parquet" else csv.read_csv(source)
order = [(name, "descending" if one == "1" else "ascending") for name, one in zip(names.split(","), descending.split(","))]
rows = rows.sort_by(order)
pq.write_table(rows, target, compression="snappy", row_group_size=122880) if format == "parquet" else csv.write_csv(rows, target)"""

def command(peer, source, by, target, form):
    names = ",".join(name for name, _ in KEYS[by])
    down = ",".join("1" if descending else "0" for _, descending in KEYS[by])
    order = ", ".join(f"{name} {'DESC' if descending else 'ASC'} NULLS LAST" for name, descending in KEYS[by])
    threads = str(options.threads)
    return {
        "gpusort": ["node", str(ROOT / "bin/gpusort.js"), source, "--by", by, "-o", target, "-q", "--threads", threads, "-S", options.memory]
            + (["--header", "--device", "cpu"] if form == "csv" else []),
        "duckdb": ["node", "-e", DUCKDB, source, order, target, form, threads, options.memory],
        "polars": [sys.executable, "-c", POLARS, source, target, form, names, down],
        "pyarrow": [sys.executable, "-c", PYARROW, source, target, form, names, down, threads],
    }[peer]

def run(argv):
    return timed(argv, {"POLARS_MAX_THREADS": str(options.threads)}, cwd=ROOT)

def is_sorted(source, target, by, form):
    """Whether the keys of the output are those of the input in pyarrow's order."""
    import pyarrow.csv as csv, pyarrow.parquet as pq
    def keys_of(path):
        names = [name for name, _ in KEYS[by]]
        return pq.read_table(path, columns=names) if form == "parquet" else csv.read_csv(path).select(names)
    order = [(name, "descending" if descending else "ascending") for name, descending in KEYS[by]]
    keys = keys_of(source).sort_by(order)
    return keys.equals(keys_of(target).cast(keys.schema)) # polars writes large strings

def installed(peer):
    if peer == "gpusort": return True
    probe = ["node", "-e", "require.resolve('@duckdb/node-api')"] if peer == "duckdb" else [sys.executable, "-c", f"import {peer}"]
    if subprocess.run(probe, cwd=ROOT, capture_output=True).returncode == 0: return True
    print(f"SKIPPED {peer}: it is not installed")
    return False

def apart(function, *arguments):
    """Calls a function of this file in a process that ends with it: those that are timed begin with this one's memory."""
    code = "import json, sys, table_files; print(json.dumps(getattr(table_files, sys.argv[1])(*json.loads(sys.argv[2]))))"
    argv = [sys.executable, "-c", code, function, json.dumps(arguments)]
    folder = str(pathlib.Path(__file__).resolve().parent)
    return json.loads(subprocess.run(argv, env={**os.environ, "PYTHONPATH": folder}, check=True, capture_output=True, text=True).stdout)

def main():
    for needed in ("numpy", "pyarrow"):
        if not installed(needed): sys.exit(f"{needed} makes the files and checks the order: pip install {needed}")
    peers = [peer for peer in options.peers.split(",") if installed(peer)]
    for form in options.formats.split(","):
        source, target = (f"{options.dir}/table_files.{name}.{form}" for name in ("in", "out"))
        apart("make", source, options.rows, form)
        print(f"\n{form}, {options.rows:,} rows, {os.path.getsize(source) / 1e6:.0f} MB, {options.threads} threads: "
            "wall s, median (least); CPU s; most memory, MB; wall beside DuckDB\n")
        print("| by | " + " | ".join(peers) + " |\n| --- |" + " ---: |" * len(peers))
        for by in options.by.split(";"):
            runs = {peer: [] for peer in peers}
            for _ in range(options.runs):
                for peer in peers:
                    runs[peer].append(run(command(peer, source, by, target, form)))
                    if len(runs[peer]) == 1 and not apart("is_sorted", source, target, by, form):
                        sys.exit(f"{peer} did not sort by {by}")
                    os.remove(target)
            cells = []
            for peer in peers:
                wall, cpu, memory = (statistics.median(column) for column in zip(*runs[peer]))
                beside = wall / statistics.median(one[0] for one in runs["duckdb"]) if "duckdb" in runs else 0
                cells.append(f"{wall:.2f} ({min(one[0] for one in runs[peer]):.2f}); {cpu:.1f}; {memory:.0f}; {beside:.2f}")
                print(json.dumps({"format": form, "by": by, "peer": peer, "runs": runs[peer]}), file=sys.stderr)
            print(f"| `{by}` | " + " | ".join(cells) + " |", flush=True)
        os.remove(source)

if __name__ == "__main__": main()
