"""Makes random Parquet files, and checks what a sort made of them, by pyarrow and plain Python alone.

Reads a JSON object a line from standard input, and answers each with one:
{"make": FOLDER, "seed": N}                 -> the inputs and the options of a sort
{"check": FOLDER, "case": what make answered, "output": FILE} -> {"problem": null or a text}
"""
import json, math, random, struct, sys, datetime, decimal
import numpy as np, pyarrow as pa, pyarrow.parquet as pq

NAN = struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000123))[0]
WORDS = ["", "a", "A", "aa", "b", "é", "\U0001f600", "zz\0z", "name", "name 1", "x" * 40]
DAY = datetime.date(1970, 1, 1)
EPOCH = datetime.datetime(1970, 1, 1)
UTC = datetime.timezone.utc

def few(r, make):
    values = [make() for _ in range(r.choice([2, 8, 1000]))]
    return lambda: r.choice(values)

# What a column may hold: its type, and a function that makes a value.
TYPES = {
    "int8": lambda r: (pa.int8(), lambda: r.randrange(-128, 128)),
    "uint16": lambda r: (pa.uint16(), lambda: r.randrange(1 << 16)),
    "int32": lambda r: (pa.int32(), lambda: r.randrange(-(1 << 31), 1 << 31)),
    "int64": lambda r: (pa.int64(), lambda: r.randrange(-(1 << 63), 1 << 63)),
    "uint64": lambda r: (pa.uint64(), lambda: r.randrange(1 << 64)),
    "float": lambda r: (pa.float32(), lambda: r.choice([0.0, -0.0, math.inf, -math.inf, math.nan, r.gauss(0, 1), float(r.randrange(9))])),
    "double": lambda r: (pa.float64(), lambda: r.choice([0.0, -0.0, NAN, -math.nan, math.inf, r.gauss(0, 1e9), float(r.randrange(9))])),
    "text": lambda r: (pa.string(), lambda: r.choice(WORDS)),
    "bytes": lambda r: (pa.binary(), lambda: r.randbytes(r.randrange(5))),
    "bool": lambda r: (pa.bool_(), lambda: r.random() < 0.5),
    "date": lambda r: (pa.date32(), lambda: DAY + datetime.timedelta(days=r.randrange(-9999, 99999))),
    "time": lambda r: (pa.time64("us"), lambda: (EPOCH + datetime.timedelta(microseconds=r.randrange(86_400_000_000))).time()),
    "stamp": lambda r: (pa.timestamp("us"), lambda: EPOCH + datetime.timedelta(microseconds=r.randrange(-(10**15), 10**16))),
    "zoned": lambda r: (pa.timestamp("us", "Europe/Berlin"), lambda: (EPOCH + datetime.timedelta(seconds=r.randrange(10**9))).replace(tzinfo=UTC)),
    "decimal": lambda r: (pa.decimal128(8, 2), lambda: decimal.Decimal(r.randrange(-(10**8) + 1, 10**8)).scaleb(-2)),
    "wide": lambda r: (pa.decimal128(30, 4), lambda: decimal.Decimal(r.randrange(-(10**20), 10**20)).scaleb(-4)),
    "category": lambda r: (pa.dictionary(pa.int16(), pa.string()), lambda: r.choice(WORDS[1:7])),
}
NESTED = {
    "list": lambda r: (pa.list_(pa.int32()), lambda: [r.choice([None, r.randrange(99)]) for _ in range(r.randrange(4))]),
    "struct": lambda r: (pa.struct([("p", pa.float64()), ("q", pa.list_(pa.string()))]), lambda: r.choice([None, {"p": r.choice([None, -0.0, 1.5]), "q": r.choice([None, [], ["a", None]])}])),
    "map": lambda r: (pa.map_(pa.string(), pa.int64()), lambda: [(f"k{i}", r.choice([None, i])) for i in range(r.randrange(3))]),
    "lists": lambda r: (pa.list_(pa.list_(pa.struct([("a", pa.int8())]))), lambda: [r.choice([None, [], [{"a": 1}, None, {"a": None}]]) for _ in range(r.randrange(3))]),
}
NAMES = ["key", "Name with blanks", 'quo"te', "t", "c0", "file_row_number", "n", "ünï", "a,b", "x:y", "select", "h.i", "7"]

def make(folder, seed):
    r = random.Random(seed)
    names = r.sample(NAMES, r.randrange(2, 7))
    kinds = [r.choice(list(TYPES)) if i == 0 or r.random() < 0.7 else r.choice(list(NESTED)) for i in range(len(names))]
    made = [(TYPES.get(kind) or NESTED[kind])(r) for kind in kinds]
    values = [few(r, value) if kind in TYPES and r.random() < 0.6 else value for kind, (_, value) in zip(kinds, made)]
    nulls = [r.choice([0, 0, 0.1, 0.9]) for _ in names]
    schema = pa.schema([pa.field(name, type) for name, (type, _) in zip(names, made)], metadata={"owner": "tests", "bytes": b"\xff\0"})
    inputs = []
    for i in range(r.choice([1, 1, 2, 3])):
        rows = r.choice([0, 1, 7, 300, 5000])
        columns = [pa.array([None if r.random() < null else value() for _ in range(rows)], type) for (type, _), value, null in zip(made, values, nulls)]
        table = pa.Table.from_arrays(columns, schema=schema)
        style = dict(compression=r.choice(["none", "snappy", "gzip", "zstd", "brotli", "lz4"]), row_group_size=r.choice([100, 2048, 1 << 20]),
            use_dictionary=r.random() < 0.5, data_page_version=r.choice(["1.0", "2.0"]))
        inputs.append(f"in [{i}]*.parquet")
        pq.write_table(table, f"{folder}/{inputs[-1]}", **style)
    sortable = [i for i, kind in enumerate(kinds) if kind in TYPES]
    keys = [{"column": names[i], "descending": r.random() < 0.5, "nulls": r.choice(["first", "last"])} for i in r.sample(sortable, r.randrange(1, len(sortable) + 1))]
    options = {"by": keys, "descending": r.random() < 0.3, "unique": r.random() < 0.3, "head": r.choice([None, None, None, 1, 60, 10000]), "argsort": r.random() < 0.2, "threads": r.choice([1, 2])}
    return {"inputs": inputs, "options": options}

def bits(value):
    """A value as what tells it from all others: floats by their bits."""
    if isinstance(value, float): return ("float", struct.pack("<d", value))
    if isinstance(value, list): return ("list", [bits(one) for one in value])
    if isinstance(value, tuple): return ("tuple", [bits(one) for one in value])
    if isinstance(value, dict): return ("dict", [(name, bits(one)) for name, one in value.items()])
    return value

def rank(value):
    """A number, text or time as what Python compares: NaNs are equal and the greatest, -0 equals 0, text is UTF-8."""
    if isinstance(value, float): return (1, 0.0) if math.isnan(value) else (0, value + 0.0)
    return value.encode() if isinstance(value, str) else value

def expected(tables, options):
    rows = [row for table in tables for row in zip(*(column.to_pylist() for column in table.columns))]
    names = tables[0].column_names
    places = [names.index(key["column"]) for key in options["by"]]
    order = list(range(len(rows)))
    for place, key in reversed(list(zip(places, options["by"]))):
        descending = key["descending"] != options["descending"]
        there = [i for i in order if rows[i][place] is not None]
        missing = [i for i in order if rows[i][place] is None]
        there.sort(key=lambda i: rank(rows[i][place]), reverse=descending)  # stable also in reverse
        order = missing + there if key["nulls"] == "first" else there + missing
    if options["unique"]:
        seen, first = set(), []
        for i in order:
            group = tuple(None if rows[i][place] is None else (rank(rows[i][place]),) for place in places)
            if group not in seen: first.append(i)
            seen.add(group)
        order = first
    return rows, order[: options["head"]]

def check(folder, case, output):
    files = [pq.ParquetFile(f"{folder}/{name}") for name in case["inputs"]]
    rows, order = expected([file.read() for file in files], case["options"])
    if case["options"]["argsort"]:
        found = np.load(f"{folder}/{output}").tolist()
        return None if found == order else f"indices {found[:9]}, not {order[:9]}"
    after = pq.ParquetFile(f"{folder}/{output}")
    table = after.read()
    table.validate(full=True)
    if not after.schema_arrow.equals(files[0].schema_arrow, check_metadata=True): return f"schema {after.schema_arrow}, not {files[0].schema_arrow}"
    written = list(zip(*(column.to_pylist() for column in table.columns)))
    if len(written) != len(order): return f"{len(written)} rows, not {len(order)}"
    for place, (row, i) in enumerate(zip(written, order)):
        if bits(row) != bits(rows[i]): return f"row {place} is {row}, not {rows[i]}"
    groups = [file.metadata for file in files if file.metadata.num_rows > 0]
    if files[0].metadata.num_rows > 0 and len(order) > 0:
        codecs = [file.row_group(0).column(0).compression for file in (files[0].metadata, after.metadata)]
        if codecs[0] != codecs[1]: return f"codec {codecs[1]}, not {codecs[0]}"
    return None

for line in sys.stdin:
    job = json.loads(line)
    if "make" in job: answer = make(job["make"], job["seed"])
    else: answer = {"problem": check(job["check"], job["case"], job["output"])}
    print(json.dumps(answer), flush=True)
