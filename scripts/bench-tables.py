"""What the peers of scripts/bench-tables.js do: they are libraries of Python.

    python bench-tables.py versions
    python bench-tables.py duckdb|pyarrow THREADS INPUT OUTPUT COLUMN...
    python bench-tables.py to-parquet INPUT OUTPUT
    python bench-tables.py same A B

Columns are followed by ":desc" for descending order. The names of the files say their format: .csv or .parquet.
"""

import importlib
import sys


def versions():
    for name in ("duckdb", "pyarrow"):
        try:
            print(name, importlib.import_module(name).__version__)
        except ImportError:
            pass


def by_duckdb(threads, source, target, columns):
    import duckdb

    directed = [(c.removesuffix(":desc"), "DESC" if c.endswith(":desc") else "ASC") for c in columns]
    order = ", ".join(f'"{name}" {direction}' for name, direction in directed)
    form = "FORMAT parquet" if target.endswith(".parquet") else "FORMAT csv, HEADER"
    duckdb.execute(f"SET threads = {threads}")
    duckdb.execute(f"COPY (SELECT * FROM '{source}' ORDER BY {order}) TO '{target}' ({form})")


def by_pyarrow(threads, source, target, columns):
    import pyarrow
    from pyarrow import csv, parquet

    pyarrow.set_cpu_count(int(threads))
    table = parquet.read_table(source) if source.endswith(".parquet") else csv.read_csv(source)
    order = [(c.removesuffix(":desc"), "descending" if c.endswith(":desc") else "ascending") for c in columns]
    table = table.sort_by(order)
    if target.endswith(".parquet"):
        parquet.write_table(table, target)
    else:
        csv.write_csv(table, target, csv.WriteOptions(quoting_style="none", quoting_header="none"))


def to_parquet(source, target):
    from pyarrow import csv, parquet

    parquet.write_table(csv.read_csv(source), target)


def same(a, b):
    from pyarrow import parquet

    one, other = parquet.read_table(a), parquet.read_table(b)
    if one.num_rows == 0 or not one.equals(other.cast(one.schema)):
        sys.exit("the tables differ")


def main(command, *rest):
    if command in ("duckdb", "pyarrow"):
        threads, source, target, *columns = rest
        (by_duckdb if command == "duckdb" else by_pyarrow)(threads, source, target, columns)
    else:
        {"versions": versions, "to-parquet": to_parquet, "same": same}[command](*rest)


main(*sys.argv[1:])
