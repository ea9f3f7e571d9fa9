"""Saves arrays as .npy files, and says whether sorted .npy files are what NumPy makes of them.

Reads one JSON object per line, and answers each with {"problem": text or null}.
"""
import json
import sys

import numpy as np


def bits(array):
    return array.astype(array.dtype.newbyteorder("="), copy=True).view(f"u{array.dtype.itemsize}")


def is_nan(array):
    return np.isnan(array) if array.dtype.kind == "f" else np.zeros(len(array), bool)


def differ(actual, expected):
    """Where keys differ. NaNs may come in any order, but with the bits of the input's NaNs."""
    if actual.dtype.newbyteorder("=") != expected.dtype.newbyteorder("="):
        return f"the type is {actual.dtype} instead of {expected.dtype}"
    if actual.shape != expected.shape:
        return f"the shape is {actual.shape} instead of {expected.shape}"
    nans = is_nan(expected)
    wrong = np.flatnonzero((bits(actual) != bits(expected)) & ~(nans & is_nan(actual)))
    if len(wrong):
        return f"key {wrong[0]} is {actual[wrong[0]]!r} instead of {expected[wrong[0]]!r}"
    return None


def same_nans(actual, source):
    if np.array_equal(np.sort(bits(actual[is_nan(actual)])), np.sort(bits(source[is_nan(source)]))):
        return None
    return "the NaNs have other bits than the input's"


def unique(source):
    """As np.unique, by a stable sort: NumPy 2.3.5 sorts some float16 wrongly by quicksort, with AVX-512."""
    ordered = np.sort(source, kind="stable")
    nans = is_nan(ordered)
    is_first = np.ones(len(ordered), bool)
    is_first[1:] = (ordered[1:] != ordered[:-1]) & ~(nans[1:] & nans[:-1])
    return ordered[is_first]


def answer(question):
    if question["do"] == "save":
        array = np.fromfile(question["raw"], dtype=np.dtype(question["dtype"]))
        np.save(question["npy"], array.astype(array.dtype.newbyteorder(">" if question["big"] else "=")))
        return None
    source, actual = np.load(question["input"]), np.load(question["output"])
    if question["do"] == "sort":
        return differ(actual, np.sort(source, kind="stable")) or same_nans(actual, source)
    if question["do"] == "unique":
        return differ(actual, unique(source))
    return differ(actual, np.argsort(source, kind="stable").astype(np.uint32))


for line in sys.stdin:
    print(json.dumps({"problem": answer(json.loads(line))}), flush=True)
