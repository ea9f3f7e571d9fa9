"""Random tables of CSV, how to sort them, and what comes of it, by Python's csv and decimal.

Usage: csv_cases.py SEED COUNT LARGE. Prints COUNT small cases and LARGE ones as JSON. Nothing here is taken from
gpusort: the rules are those of docs/formats.md.
"""

import base64
import csv
import functools
import json
import random
import re
import sys
from datetime import datetime, timezone
from decimal import Decimal

csv.field_size_limit(1 << 30)
BLANKS = " \t\n"
NULLS = ["NA", "-", "0", "n/a"]


def as_number(text, decimal, thousands):
    """The value of a number; None for anything else."""
    if re.fullmatch(r"[+-]?inf(inity)?", text, re.I):
        return Decimal(text)
    whole = r"\d+"
    if thousands:
        whole += r"|\d{1,3}(?:" + re.escape(thousands) + r"\d{3})+"
    point = re.escape(decimal)
    form = rf"([+-]?)(?:({whole})(?:{point}(\d*))?|{point}(\d+))(?:e([+-]?\d+))?"
    parts = re.fullmatch(form, text, re.I | re.A)
    if not parts:
        return None
    sign, digits, fraction, alone, exponent = parts.groups()
    digits = re.sub(r"\D", "", digits or "")
    return Decimal(f"{sign}{digits}.{fraction or alone or ''}e{exponent or 0}" if digits or alone else "0")


def as_date(text):
    """The time of a date; None for anything else."""
    basic = re.fullmatch(r"(\d{4})(\d\d)(\d\d)", text, re.A)
    if basic:
        text = "-".join(basic.groups())
    if not re.fullmatch(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)?)?", text):
        return None
    try:
        time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=timezone.utc)


def records_of(text, separator, end):
    """The records of a text, each as it is and as its fields."""
    lines = re.findall(rf"[^{end}]*{end}|[^{end}]+", text)
    used = 0

    def feed():
        nonlocal used
        for line in lines:
            used += 1
            yield line

    found = []
    before = 0
    for fields in csv.reader(feed(), delimiter=separator, strict=True):
        found.append(("".join(lines[before:used]), fields))
        before = used
    return found


class Refused(Exception):
    pass


class Order:
    """An order by columns, of which each is a dictionary with field, type, descending and place."""

    def __init__(self, columns, rows, case):
        self.case = case
        self.keys = [self.read(column, rows) for column in columns]

    def read(self, column, rows):
        field, kind = column["field"], column["type"]
        required = self.case["invalid"] in (None, "error")
        if rows and not self.case["header"] and field >= max(len(fields) for _, fields in rows):
            raise Refused("no column")
        values = []
        for _, fields in rows:
            if field >= len(fields) and fields and required:
                raise Refused("short")
            values.append(fields[field] if field < len(fields) else "")
        if kind is None:
            kind = next(k for k in ("number", "date", "text") if all(self.state(v, k) != "misfit" for v in values))
            named = False
        else:
            named = True
        states = [self.state(value, kind) for value in values]
        if self.case["invalid"] == "error" and any(state in ("missing", "misfit") for state in states):
            raise Refused("invalid")
        if named and "misfit" in states and "fits" not in states:
            raise Refused("no value")
        return {**column, "type": kind}

    def stripped(self, text, kind):
        # As of a line of numbers that ends with CRLF.
        return (text.removesuffix("\r") if kind == "number" else text).strip(BLANKS)

    def value(self, text, kind):
        stripped = self.stripped(text, kind)
        if kind == "number":
            return as_number(stripped, self.case["decimal"] or ".", self.case["thousands"])
        return as_date(stripped)

    def state(self, text, kind):
        stripped = self.stripped(text, kind)
        if kind == "text":
            return "fits"
        if stripped in self.case["nulls"]:
            return "missing"
        if self.value(text, kind) is not None:
            return "fits"
        if stripped == "" or (kind == "number" and re.fullmatch(r"[+-]?nan", stripped, re.I)):
            return "missing"
        return "misfit"

    def compare_key(self, key, a, b):
        kind, sign = key["type"], -1 if key["descending"] else 1
        a, b = (fields[key["field"]] if key["field"] < len(fields) else "" for fields in (a, b))
        if kind == "text":
            x, y = a.encode(), b.encode()
            return sign * ((x > y) - (x < y))
        place = key["nulls"] or self.case["invalid"] or "last"
        ranks = {"fits": 0 if place == "last" else 3, "missing": 1, "misfit": 2}
        x, y = ranks[self.state(a, kind)], ranks[self.state(b, kind)]
        if x != y:
            return x - y
        if x == 1:
            return 0
        if x == 2:
            x, y = a.encode(), b.encode()
            return (x > y) - (x < y)
        x, y = self.value(a, kind), self.value(b, kind)
        return sign * ((x > y) - (x < y))

    def compare(self, a, b):
        for key in self.keys:
            found = self.compare_key(key, a[1], b[1])
            if found:
                return found
        return 0

    def sorted(self, rows):
        return sorted(rows, key=functools.cmp_to_key(self.compare))


def number_text(form):
    kind = random.random()
    if kind < 0.3:
        return str(random.randint(-20, 20))
    if kind < 0.5:
        return f"{random.choice(['', '-', '+'])}{random.randint(0, 99999)}.{random.randint(0, 9999)}"
    if kind < 0.7:
        return f"{random.uniform(-10, 10)!r}e{random.randint(-300, 300)}"
    if kind < 0.8:
        return "0" * random.randint(0, 3) + str(random.randint(0, 10 ** random.randint(1, 40)))
    if kind < 0.9:
        digits = str(random.randint(10**14, 10**15))
        return digits + random.choice(["", ".", ".0", ".5", "e0", "00e-2"]) + random.choice(["", "", " "])
    return random.choice(["0", "-0", "0.0", "inf", "-Infinity", "+7", "1e-5", "00501", ".5", "5.", "1E+2"])


def localised(text, case):
    if "inf" in text.lower() or random.random() < 0.2:
        return text
    if case["decimal"]:
        text = text.replace(".", case["decimal"])
    if case["thousands"] and re.fullmatch(r"\d+", text):
        text = f"{int(text):,}".replace(",", case["thousands"])
    return text


def date_text():
    day = f"{random.randint(1, 9999):04}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
    return day + random.choice(["", "", "T10:20:30", " 23:59:59Z", "T00:00:00+02:00"])


def text_value():
    return "".join(random.choice('abAB ,;|\t\n\r"é0-') for _ in range(random.randint(0, 12)))


SURPRISES = ["N/A", "x", "1,5", "1e", "--", "2023-02-30", "0x10", "nan", "", "1e-5", "2024-01-01", "7", "NA"]


def column_values(count, case):
    kind = random.choice(["number", "number", "number", "date", "text", "few", "empty"])
    make = {
        "number": lambda: localised(number_text(case), case),
        "date": date_text,
        "text": text_value,
        "few": lambda: random.choice(["1", "1.0", "2", "01"]),
        "empty": lambda: "",
    }[kind]
    values = [make() for _ in range(count)]
    if values and random.random() < 0.5:
        for _ in range(random.randint(1, 3)):
            values[random.randrange(count)] = random.choice(SURPRISES)
    if values and random.random() < 0.3:
        values[-1] = random.choice(SURPRISES)  # behind all others
    blanks = random.random() < 0.3
    return [random.choice(["", "NA", "NaN", " "]) if blanks and random.random() < 0.2 else value for value in values]


def cell(value, case):
    must = re.search(r'[\r\n"]', value) or case["separator"] in value
    if must or random.random() < 0.1:
        return '"' + value.replace('"', '""') + '"'
    return value


def make_case(large):
    separator = random.choice([",", ",", ";", "\t", "|"])
    case = {
        "separator": separator,
        "nulls": random.sample(NULLS, random.randint(1, 3)) if random.random() < 0.3 else [],
        "decimal": "," if random.random() < 0.2 else None,
        "thousands": None,
        "invalid": random.choice([None, None, None, "first", "last", "error"]),
        "unique": random.random() < 0.3,
        "head": random.choice([None, None, 1, 3, 1000]),
        "header": random.random() < 0.7,
        "large": large,
    }
    if random.random() < 0.2:
        case["thousands"] = random.choice([".", " "] if case["decimal"] else [",", " "])
    end = "\n" if large else random.choice(["\n", "\n", "\r\n", "\r"])
    width = random.randint(1, 4)
    count = random.randint(25_000, 40_000) if large else random.choice([0, 1, 5, 20, 60, 1200])
    columns = [column_values(count, case) for _ in range(width)]
    if large:
        columns.append(["x" * random.randint(0, 150) for _ in range(count)])
    names = [random.choice(["name", "price", "a,b", 'q"', "two\nlines", "é", "a:b"]) + str(i) for i in range(len(columns))]
    rows = [separator.join(cell(value, case) for value in row) for row in zip(*columns)]
    # A single blank row would be nothing.
    rows = [row if row else '""' for row in rows]
    if not large and rows and random.random() < 0.1:
        rows.insert(random.randrange(len(rows)), "")
    if width > 1 and rows and random.random() < 0.1:
        rows[-1] = rows[-1].split('"')[0].split(separator)[0] or "1"
    header = separator.join(cell(name, case) for name in names)
    cuts = sorted(random.randint(0, len(rows)) for _ in range(random.choice([0, 0, 1, 2])))
    parts = [rows[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)])]
    mark = "\ufeff" if random.random() < 0.1 else ""
    if end == "\r" and not case["header"] and any(len(part) < 2 for part in parts):
        end = "\n"
    if end == "\r" and any(len(part) < 1 for part in parts):
        end = "\n"

    def text_of(part):
        lines = ([header] if case["header"] else []) + part
        text = "".join(line + end for line in lines)
        # A last line without an end gets one, as the others have it.
        return mark + (text[: -len(end)] if len(lines) > 1 and lines[-1] and random.random() < 0.3 else text)

    inputs = [text_of(part) for part in parts]
    by = []
    for field in random.sample(range(width), random.randint(1, min(3, width))):
        by.append(
            {
                "field": field,
                "column": names[field] if case["header"] and random.random() < 0.6 else str(field + 1),
                "descending": random.random() < 0.4,
                "type": random.choice([None, None, None, "number", "date", "text"]),
                "nulls": None,
            }
        )
    if by[0]["type"] in ("number", "date") and case["invalid"] != "error" and random.random() < 0.3:
        by[0]["nulls"] = random.choice(["first", "last"])
    case["by"] = by
    return case, inputs, header, end, mark


def require_use(case):
    """Refuses options that no column has a use for, by the types that are named."""
    kinds = [column["type"] for column in case["by"]]
    if None in kinds:
        return
    if (case["decimal"] or case["thousands"]) and "number" not in kinds:
        raise Refused("no numbers")
    if case["nulls"] and all(kind == "text" for kind in kinds):
        raise Refused("only text")


def solve(case, inputs, header, end, mark):
    require_use(case)
    last = end[-1]
    records = []
    for text in inputs:
        found = records_of(text.removeprefix("\ufeff"), case["separator"], last)
        records.append(found[1 if case["header"] else 0 :])

    def ended(row):
        return row if row.endswith(last) else row + end

    rows = [(ended(raw), fields) for part in records for raw, fields in part]
    if not any(inputs):
        order, ordered = None, []
    else:
        order = Order(case["by"], rows, case)
        ordered = order.sorted(rows)
    merged = None
    if order and len(records) > 1:
        whole = [order.sorted([(ended(raw), fields) for raw, fields in part]) for part in records]
        begin = mark + (header + end if case["header"] else "")
        merged = [begin + "".join(raw for raw, _ in part) for part in whole]
    if case["unique"]:
        ordered = [row for i, row in enumerate(ordered) if i == 0 or order.compare(ordered[i - 1], row) != 0]
    ordered = ordered[: case["head"]]
    begin = mark + (header + end if case["header"] and any(inputs) else "")
    kinds = [key["type"] for key in order.keys] if order else []
    return begin + "".join(raw for raw, _ in ordered), merged, kinds


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def main():
    seed, count, large = map(int, sys.argv[1:])
    random.seed(seed)
    cases = []
    for number in range(count + large):
        made = make_case(number >= count)
        case, inputs = made[0], made[1]
        try:
            expected, merged, kinds = solve(*made)
            result = {"expected": encoded(expected), "kinds": kinds}
            if merged:
                result["merged"] = [encoded(text) for text in merged]
        except Refused as why:
            result = {"refused": str(why)}
        cases.append({**case, "inputs": [encoded(text) for text in inputs], **result})
    json.dump(cases, sys.stdout)


main()
