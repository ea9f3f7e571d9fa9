#!/usr/bin/env python3
"""Says whether OUTPUT holds the records of INPUT in order, by Python's own sort, which is stable.

    check-records.py INPUT OUTPUT RECORD_BYTES KEY [-r]

KEY is OFFSET:BYTES, for bytes compared as unsigned numbers, or OFFSET:FORMAT with a format of Python's struct
module, such as 8:<d. Exits with 1 and says where OUTPUT is wrong. Needs nothing but Python; holds both files.
"""
import struct
import sys

source, target, size, key = sys.argv[1:5]
reverse = "-r" in sys.argv[5:]
size = int(size)
offset, what = key.split(":")
offset = int(offset)


def records(path):
    with open(path, "rb") as file:
        data = file.read()
    if len(data) % size:
        sys.exit(f"{path}: {len(data)} bytes are no whole number of records of {size}")
    return [data[at : at + size] for at in range(0, len(data), size)]


if what.isdigit():
    end = offset + int(what)
    by = lambda record: record[offset:end]
else:
    by = lambda record: struct.unpack_from(what, record, offset)

expected = sorted(records(source), key=by, reverse=reverse)  # with reverse, equal keys keep their order too
actual = records(target)
if len(actual) != len(expected):
    sys.exit(f"{target}: {len(actual)} records instead of {len(expected)}")
for index, (one, other) in enumerate(zip(actual, expected)):
    if one != other:
        sys.exit(f"{target}: record {index} has the key {by(one)} and should have {by(other)}")
print(f"{target}: {len(actual)} records, in order, equal keys in the order of {source}")
