import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { npy } from "../../src/formats/npy.js";
import { allItems, byteInput } from "../support/bytes.js";
import { type Loaded, loadWithNumpy, withNumpy } from "../support/numpy.js";

/** The parts of a .npy file that can be wrong. */
interface Parts {
  readonly version: readonly [number, number];
  readonly header: string;
  /** How much the header's stated length differs from its true one, in bytes. */
  readonly lengthError: number;
  readonly data: Uint8Array;
}

const DATA = Uint8Array.from({ length: 12 }, (_, i) => 16 * i + 1);

function fileOf({ version, header, lengthError, data }: Parts): Uint8Array {
  const preamble = version[0] === 1 ? 10 : 12;
  const bytes = Buffer.alloc(preamble);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, ...version]);
  const text = Buffer.from(header, version[0] === 3 ? "utf8" : "latin1");
  const length = Math.max(0, text.length + lengthError);
  if (preamble === 10) bytes.writeUInt16LE(length, 8);
  else bytes.writeUInt32LE(length, 8);
  return Buffer.concat([bytes, text, data]);
}

const GOOD = "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }";
const good: Parts = { version: [1, 0], header: `${GOOD}\n`, lengthError: 0, data: DATA };
const shape = (text: string) => ({ header: `${GOOD.replace("(3,)", text)}\n` });
const descr = (text: string) => ({ header: `${GOOD.replace("'<u4'", text)}\n` });

/** How gpusort reads a file, in NumPy's words, or its error. */
async function open(file: Uint8Array, pipe: boolean): Promise<Loaded> {
  try {
    const input = await npy.open(byteInput("a.npy", file, pipe), {});
    const data = Buffer.from(await allItems(input)).toString("hex");
    if (input.item.kind !== "key") throw new TypeError("a .npy file holds keys");
    const { type } = input.item;
    const order = type.bytes === 1 ? "|" : "<";
    const dtype = `${order}${{ unsigned: "u", signed: "i", float: "f" }[type.order]}${type.bytes}`;
    return { dtype, shape: [input.itemCount!], data };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    expect(error.message).toMatch(/^a\.npy .{1,300}$/su);
    expect(error.hint).toBeTruthy();
    return { error: error.message };
  }
}

/** NumPy's array in little-endian order, as gpusort holds it. */
function littleEndian(loaded: Loaded): Loaded {
  if ("error" in loaded || !loaded.dtype.startsWith(">")) return loaded;
  const bytes = Buffer.from(loaded.data, "hex");
  const size = Number(loaded.dtype.slice(2));
  for (let at = 0; at < bytes.length; at += size) bytes.subarray(at, at + size).reverse();
  return { ...loaded, dtype: loaded.dtype.replace(">", "<"), data: bytes.toString("hex") };
}

/** Expects that gpusort refuses every file that NumPy refuses, and reads the others alike or refuses them. */
async function compare(files: readonly Uint8Array[]): Promise<{ read: number }> {
  let read = 0;
  for (const [i, loaded] of loadWithNumpy(files).entries()) {
    for (const pipe of [false, true]) {
      const opened = await open(files[i]!, pipe);
      if ("error" in opened) continue;
      read++;
      const text = Buffer.from(files[i]!).toString("latin1");
      expect([text, opened]).toEqual([text, littleEndian(loaded)]);
    }
  }
  return { read };
}

const refused: [string, Partial<Parts>][] = [
  ["another minor version", { version: [1, 1] }],
  ["version 0", { version: [0, 0] }],
  ["version 4", { version: [4, 0] }],
  ["a missing key", { header: "{'descr': '<u4', 'shape': (3,), }\n" }],
  ["one key more", { header: `${GOOD.replace(" }", " 'x': 1 }")}\n` }],
  ["a shape that is a list", shape("[3]")],
  ["a shape that is a number in parentheses", shape("(3)")],
  ["a shape that is a number", shape("3")],
  ["a shape of strings", shape("('3',)")],
  ["a shape with a leading zero", shape("(03,)")],
  ["a shape of a float", shape("(3.0,)")],
  ["a shape that is an expression", shape("(1+2,)")],
  ["a shape that is a call", shape("tuple([3])")],
  ["a shape that is huge", shape("(4611686018427387904,)")],
  ["Python 2's long number in version 3", { version: [3, 0], ...shape("(3L,)") }],
  ["a descr with an escape", descr("'\\<u4'")],
  ["a descr with a space", descr("'<u4 '")],
  ["a descr of 3 bytes", descr("'<u3'")],
  ["a descr that is a number", descr("4")],
  ["a descr that is None", descr("None")],
  ["a descr of objects", descr("'|O'")],
  ["fortran_order as a number", { header: `${GOOD.replace("False", "0")}\n` }],
  ["a no-break space", { header: `${GOOD.replace(" ", "\xa0")}\n` }],
  ["a byte order mark", { version: [3, 0], header: `\ufeff${GOOD}\n` }],
  ["a vertical tab", { header: `${GOOD.replace(" ", "\v")}\n` }],
  ["a NUL byte", { header: `${GOOD}\0\n` }],
  ["an indentation", { header: `\n ${GOOD}\n` }],
  ["an indentation at the end", { version: [3, 0], header: `${GOOD}\n   ` }],
  ["text after the dictionary", { header: `${GOOD} x\n` }],
  ["a second dictionary", { header: `${GOOD}${GOOD}\n` }],
  ["a length that is too small", { lengthError: -10 }],
  ["a length that is too large", { lengthError: 4 }],
  ["a length longer than the file", { lengthError: 1000 }],
  ["more than 10,000 bytes", { header: `${GOOD.padEnd(10_000)}\n` }],
  ["less data than it states", { data: DATA.subarray(1) }],
];

withNumpy.describe("a .npy file that NumPy refuses", () => {
  const files = refused.map(([, parts]) => fileOf({ ...good, ...parts }));
  const loaded = new Map<Uint8Array, Loaded>();
  beforeAll(() => {
    for (const [i, one] of loadWithNumpy(files).entries()) loaded.set(files[i]!, one);
  });

  it.each(refused.map(([what], i) => [what, files[i]!] as const))("is refused for %s", async (_, file) => {
    expect(loaded.get(file)).toEqual({ error: expect.any(String) });
    for (const pipe of [false, true]) expect(await open(file, pipe)).toEqual({ error: expect.any(String) });
  });
});

withNumpy.describe("a .npy file with any header", () => {
  it("is read as NumPy reads it if its header is unusual but right", async () => {
    const files = (
      [
        {},
        { version: [2, 0] },
        { version: [3, 0] },
        shape("(3L,)"),
        shape("( 3 ,\n)"),
        shape("(00,)"),
        descr('"<u4"'),
        descr("('<u4')"),
        descr("'u4'"),
        descr("'=u4'"),
        descr("'|u4'"),
        { ...descr("'>i2'"), data: DATA.subarray(0, 6) },
        { ...descr("'<u1'"), data: DATA.subarray(0, 3) },
        { header: GOOD },
        { header: `  ${GOOD}  \n \n` },
        { header: `${GOOD}\n   ` },
        { header: `${GOOD.padEnd(9999)}\n` },
        { header: GOOD.replaceAll(" ", "\t").replace(",\t}", "}") },
      ] as Partial<Parts>[]
    ).map((parts) =>
      fileOf({ ...good, ...parts, ...(parts.header?.includes("00") && { data: new Uint8Array() }) }),
    );
    expect(await compare(files)).toEqual({ read: 2 * files.length });
  });

  const pick = fc.constantFrom<string[]>;
  const space = pick(" ", "", "", "\n", "\t", "\xa0", "\v", "\f", "\r", "#\n", "\\\n", "\ufeff");
  const descrs = pick(
    ...[
      "'<u4'",
      "'>f4'",
      "'i4'",
      '"<u4"',
      "'<u3'",
      "'|b1'",
      "'<c8'",
      "b'<u4'",
      "u'<u4'",
      "'<' 'u4'",
      "'\\x3cu4'",
    ],
    ...[
      "[('a', '<u4')]",
      "('<u4')",
      "('<u4',)",
      "('<u4', (1,))",
      "'<u4,<u4'",
      "'''<u4'''",
      "None",
      "{}",
      "'<M8[s]'",
    ],
  );
  const orders = pick("False", "True", "0", "None", "'False'", "false", "not True", "(False)");
  const shapes = pick(
    ...[
      "(3,)",
      "(3)",
      "3",
      "[3]",
      "(3L,)",
      "(3l,)",
      "(3, L)",
      "(03,)",
      "(0_3,)",
      "(+3,)",
      "(-3,)",
      "(0x3,)",
      "(3,,)",
    ],
    ...[
      "(True,)",
      "(3.0,)",
      "(1+2,)",
      "()",
      "(,)",
      "(3, 1)",
      "(1, 3)",
      "((3),)",
      "((3,),)",
      "(3,)[:]",
      "(3 ,\n)",
    ],
    ...[
      "(99999999999999999999,)",
      "(9007199254740991,)",
      "(None,)",
      "('3',)",
      "(0,)",
      "(2,)",
      "(4,)",
      "(-1,)",
    ],
  );
  const fields = fc.record({ descr: descrs, fortran_order: orders, shape: shapes });
  const keys = fc.constantFrom(
    ...[["descr", "fortran_order", "shape"], ["shape", "fortran_order", "descr"], ["descr", "shape"], []],
    ...[
      ["descr", "fortran_order", "shape", "shape"],
      ["descr", "fortran_order", "shape", "x"],
    ],
  );
  const good3 = { descr: "'<u4'", fortran_order: "False", shape: "(3,)" };
  /** Headers of which about one field in three, and one space in four, is unusual. */
  const headers = fc
    .record({
      keys,
      fields,
      odd: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      spaces: fc.array(space),
    })
    .map(({ keys, fields, odd, spaces }) => {
      const values: Record<string, string> = { ...good3, x: "1" };
      for (const [i, name] of (["descr", "fortran_order", "shape"] as const).entries()) {
        if (odd[i]) values[name] = fields[name];
      }
      const words = ["{", ...keys.flatMap((key) => [`'${key}'`, ":", values[key]!, ","]), "}", ""];
      return words.map((word, i) => (odd[3] ? (spaces[i] ?? " ") : " ") + word).join("");
    });
  const versions = fc.constantFrom<[number, number]>([1, 0], [1, 0], [2, 0], [3, 0], [1, 1], [4, 0]);
  const mutations = fc.array(
    fc.tuple(fc.nat(90), pick("", "'", "(", ")", ",", "0", "L", "3", " ", "\n", "\\", "}")),
    {
      maxLength: 2,
    },
  );
  const files = fc
    .record({
      version: versions,
      header: fc.oneof({ weight: 2, arbitrary: headers }, fc.constant(`${GOOD}\n`)),
      lengthError: fc.constantFrom(0, 0, 0, 0, -1, 1, 4, 12, 100),
      data: fc.constantFrom(DATA, DATA, DATA, DATA.subarray(4), new Uint8Array(12).fill(0x20)),
      mutations,
    })
    .map(({ mutations, ...parts }) => {
      let { header } = parts;
      for (const [at, by] of mutations) header = header.slice(0, at) + by + header.slice(at + 1);
      return fileOf({ ...parts, header });
    });

  it("is read as NumPy reads it, or refused with a clear error", async () => {
    const { read } = await compare(fc.sample(files, 4000));
    expect(read).toBeGreaterThan(100);
  });
});
