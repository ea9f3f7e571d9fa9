import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementType } from "../../src/core/elements.js";
import { InputError } from "../../src/core/errors.js";
import type { InputFile } from "../../src/files/input_file.js";
import { type KindOptions, kindOf, kindOfAll } from "../../src/kinds/decide.js";
import { extensions } from "../../src/kinds/names.js";
import { byteInput } from "../support/bytes.js";
import { randomKeys } from "../support/keys.js";
import { numpy, withNumpy } from "../support/numpy.js";

const input = (name: string, content: Uint8Array | string, isPipe = false): InputFile => ({
  ...byteInput(name, typeof content === "string" ? Buffer.from(content) : content, isPipe),
  checkUnchanged: async () => {},
  close: async () => {},
});

/** Reads all of an input, as a sort does. */
async function readAll(file: InputFile): Promise<void> {
  const piece = new Uint8Array(1 << 16);
  while ((await file.next(piece)) === piece.length);
}

/** What an input is read as, as a file and as a pipe, which must be the same. */
async function decided(name: string, content: Uint8Array | string, options: KindOptions = {}) {
  const [file, pipe] = await Promise.all(
    [false, true].map(async (isPipe) => {
      const { kind, file } = await kindOf(input(name, content, isPipe), options);
      await readAll(file);
      return kind;
    }),
  );
  expect(pipe).toBe(file);
  return file;
}

/** Contents of which a few KiB of the beginning could be taken for keys, or were. */
const texts: readonly (readonly [what: string, content: Uint8Array | string])[] = [
  ["words without a line break", "hello world!"],
  ["minified JSON", JSON.stringify(Array.from({ length: 5000 }, (_, i) => ({ i, name: `name ${i}` })))],
  ["a first line that is longer than what may be seen of it", `${"word ".repeat(20_000)}\nb\na\n`],
  ["colours of a terminal", "\x1b[31mred\x1b[0m\n\x1b[32mgreen\x1b[0m\n"],
  ["other control characters", "a\x01b\x7f\n\f\v\b\n"],
  ["Shift-JIS", Buffer.from([0x93, 0xfa, 0x96, 0x7b, 10, 0x8d, 0x91, 10])],
  ["Latin-1", Buffer.from("Jos\xe9\n\xc9mile\n", "latin1")],
  ["punctuation alone", "!!!\n???\n...\n"],
  ["emoji alone", "\u{1f600}\u{1f680}\n\u{1f984}\n"],
  ["blank lines alone", "\n\n \n"],
  ["one number without a line break", "12345678"],
  ["lines of numbers", "1\n22\n333\n4444\n"],
  ["CSV", "name,d\u00e9lai\nJos\u00e9,5\n"],
];

describe("an input of which nothing says what it holds", () => {
  it.each(texts)("is text if it is %s", async (_, content) => {
    for (const name of ["keys", "standard input", "a.xyz", "keys.sorted"])
      expect([name, await decided(name, content)]).toEqual([name, "text"]);
    expect(await decided("a.txt", content)).toBe("text");
    expect(await decided("a.log", content)).toBe("lines");
    expect(await decided("a.csv", content)).toBe("csv");
  });

  it("is text if no byte of it is 0, else an error that names the first one and the ways on", async () => {
    const whole = Buffer.alloc(9 << 20, "text \n");
    expect(await decided("keys", whole)).toBe("text");
    for (const at of [0, 5, (4 << 20) + 3, whole.length - 1]) {
      const content = Buffer.from(whole);
      content[at] = 0;
      for (const name of ["keys", "standard input"]) {
        const error = await decided(name, content).catch((reason) => reason);
        expect(error).toBeInstanceOf(InputError);
        expect(error).toMatchObject({
          message: `${name} is no text, as byte ${at + 1} is 0, and nothing says what it holds`,
          hint: expect.stringMatching(/^name the type of its keys: u8, .*; or the format lines/),
          options: ["type", "format"],
        });
      }
    }
  });

  it("is never keys if it has no byte 0", async () => {
    const noise = fc.uint8Array({ min: 1, minLength: 1, maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(noise, async (bytes) => {
        const kind = await decided("keys", bytes).catch((error) => error);
        if (kind instanceof InputError) expect(kind.message).toMatch(/ is (a|an|compressed|text in) /);
        else expect(kind).toBe("text");
      }),
      { numRuns: 250 },
    );
  });

  it("holds nothing of any kind if it is empty", async () => {
    expect(await decided("keys", "")).toBeUndefined();
    expect(await decided("keys.txt", "")).toBe("text");
    expect(await decided("keys", "", { by: [] })).toBe("csv");
    expect(await decided("keys", "", { type: "u8" })).toBe("raw");
  });

  it("is refused if it is text in UTF-16 or UTF-32, by its mark, or if its name says that it is text", async () => {
    const [marked, plain] = ["\ufeffa\nb\n", "a\nb\n"].map((text) => Buffer.from(text, "utf16le"));
    const utf32 = Buffer.from("a\0\0\0\n\0\0\0");
    for (const name of ["keys", "keys.csv", "keys.txt", "keys.log"]) {
      for (const content of name === "keys"
        ? [marked!]
        : [marked!, plain!, Buffer.from(plain!).swap16(), utf32]) {
        await expect(decided(name, content)).rejects.toMatchObject({
          message: `${name} is text in UTF-16 or UTF-32, whose lines cannot be told apart byte by byte`,
          hint: expect.stringContaining(`iconv -f ${content === utf32 ? "UTF-32LE" : "UTF-16"}`),
        });
      }
      const marked32 = Buffer.concat([Buffer.from("\ufeff\0", "utf16le"), utf32]);
      await expect(decided(name, marked32)).rejects.toMatchObject({
        hint: expect.stringContaining("iconv -f UTF-32 "),
      });
    }
  });

  /** Scripts by their letters, and an encoding of one byte or more for each. */
  const scripts = [
    ["Greek", "αβγδεζηθικλμνξοπρστυφχψω", "ISO-8859-7"],
    ["Cyrillic", "абвгдежзийклмнопрстуфхцчшщ", "CP1251"],
    ["Chinese", "一上海北京广州深圳成都武汉西安", "GB18030"],
    ["Japanese", "あいうえおはひふへほやゆよらりるれろわをんアイウ", "SHIFT-JIS"],
    ["Korean", "가나다라마바사아자차카타파하", "EUC-KR"],
    ["Punjabi", "ਅਆਇਈਉਊਏਐਓਔਕਖਗਘਙ", "UTF-8"],
    ["Hindi", "मैं हिन्दी में लिखता हूँ और किताब पढ़ता हूँ", "UTF-8"],
    ["Gujarati", "ગુજરાતી ભાષામાં લખેલું લખાણ", "UTF-8"],
    ["emoji", "😀😁😂🤣😃😄🚀🦄", "UTF-8"],
    ["Latin", "éàüöäßñçøabcdefgh", "ISO-8859-1"],
    ["mixed", 'abcdefgh, "0123456789δд上あ가😀é', "UTF-8"],
  ] as const;
  const converted = (text: string, encoding: string) =>
    execFileSync("iconv", ["-f", "UTF-8", "-t", encoding], { input: text });
  /** Texts in an encoding. To start a process takes longer than to convert them all. */
  const allConverted = (texts: readonly string[], encoding: string) => {
    const divider = converted("\x1e", encoding);
    const bytes = converted(texts.map((text) => `${text}\x1e`).join(""), encoding);
    const all: Buffer[] = [];
    let begin = 0;
    // No letter of several bytes has the divider as its second byte, and all have as many in the wide encodings.
    for (let at = 0; at < bytes.length; at += divider.length) {
      if (divider.compare(bytes, at, at + divider.length) !== 0) continue;
      all.push(bytes.subarray(begin, at));
      begin = at + divider.length;
    }
    expect(all).toHaveLength(texts.length);
    return all;
  };
  /** Ten lines of letters by chance. */
  const linesOf = (letters: readonly string[], seed: number, ends = "\n") => {
    const chances = randomKeys(elementType("u32"), 200, seed + 1) as Uint32Array;
    const chosen = Array.from(chances, (chance) => letters[chance % letters.length]);
    return Array.from({ length: 10 }, (_, i) => chosen.slice(20 * i, 20 * i + 5 + (chances[i]! % 15)))
      .map((line) => line.join("") + ends)
      .join("");
  };

  describe.each(scripts)("%s", (_, letters, encoding) => {
    it.each(["UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"])(
      "is refused in %s without a mark, also if a byte is appended, and the hint names that encoding",
      async (wide) => {
        const ends = ["\n", "\r\n", "\r", ",1\n", ";x\r\n"];
        const texts = ends.map((end, seed) => linesOf([...letters], seed, end));
        for (const content of allConverted(texts, wide)) {
          for (const name of ["a.txt", "a.csv", "a.log"]) {
            for (const whole of [content, Buffer.concat([content, Buffer.from("\n")])])
              await expect(decided(name, whole)).rejects.toMatchObject({
                message: expect.stringContaining("is text in UTF-16 or UTF-32"),
                hint: expect.stringContaining(`iconv -f ${wide} `),
              });
          }
        }
      },
    );

    it(`is text in ${encoding}, also with bytes 0 among its letters`, async () => {
      const texts = Array.from({ length: 20 }, (_, seed) => {
        const zeros = Array.from({ length: seed % 5 }, () => "\0");
        return linesOf([...letters, ...zeros], seed);
      });
      for (const content of allConverted(texts, encoding))
        expect(await decided("a.txt", content)).toBe("text");
    });
  });

  it("is refused if it is JSON of several lines, unless options say that these are to be sorted", async () => {
    const values = [{ a: 2, "\u00e9": [3, null] }, "b", [1, 2]];
    for (const value of [...values, values].filter((one) => typeof one === "object")) {
      const pretty = `${JSON.stringify(value, null, 2)}\n`;
      await expect(decided("a.json", pretty)).rejects.toThrow("a.json has JSON of several lines");
      if (!Array.isArray(value)) {
        const by = [{ column: "a" }];
        for (const name of ["a.json", "a"])
          await expect(decided(name, pretty, { by })).rejects.toThrow(/^a\S* has JSON of several lines/);
      }
      expect(await decided("a.json", pretty, { format: "lines" })).toBe("lines");
      expect(await decided("a.json", pretty, { rows: { terminator: 10 } })).toBe("lines");
      expect(await decided("a.json", JSON.stringify(value))).toBe("lines");
    }
    const lines = values.map((value) => `${JSON.stringify(value)}\r\n`).join("");
    for (const name of ["a.json", "a.jsonl"]) expect(await decided(name, lines)).toBe("lines");
  });

  it.each([
    ["objects", '{\n"a": "}"\n}\n{"a":1}\n', "jq -c . a.json >"],
    ["an array", '[\n{"a":2},\n{"a":1}\n]\n', "jq -c '.[]' a.json >"],
  ])(
    "is refused if it is %s of several lines, with a command that writes each on one",
    async (_, text, command) => {
      await expect(decided("a.json", text)).rejects.toMatchObject({ hint: expect.stringContaining(command) });
    },
  );

  it("is text if a serial console fills line breaks with bytes 0 and colours its lines", async () => {
    const lines = Array.from(
      { length: 20 },
      (_, i) => `[${i * i}] \u001b[32mOK\u001b[0m started ${"é".repeat(i % 3)}\r\n`,
    );
    for (const fill of ["\0", "\0\0"]) {
      for (const content of [fill + lines.join(fill), lines.join(fill)])
        expect(await decided("boot.txt", content)).toBe("text");
    }
  });

  it("is text if bytes 0 are what divides its fields, as option -t of sort says", async () => {
    const rows = { terminator: 10, separator: 0 };
    expect(await decided("a.txt", "a\0b\0c\nb\0a\0d\n", { rows })).toBe("lines");
  });

  it("is refused so also where an option says that it is CSV or numbers, but not as lines, nor if bytes 0 end them", async () => {
    for (const content of ["\ufeff2,b\n1,a\n", "2,b\n1,a\n"].map((text) => Buffer.from(text, "utf16le"))) {
      for (const format of ["csv", "text"] as const)
        await expect(decided("keys", content, { format })).rejects.toThrow("is text in UTF-16 or UTF-32");
      expect(await decided("keys", content, { format: "lines" })).toBe("lines");
      expect(await decided("keys", content, { format: "csv", rows: { terminator: 0 } })).toBe("csv");
    }
  });

  const start = (magic: string) => Buffer.from(magic.padEnd(64, "\0"), "latin1");
  it.each([
    ["compressed twice: a gzip file is inside", gzipSync("1\n2\n"), "unpack it: zcat a.gz | gpusort -"],
    ["compressed twice: a zstd file is inside", start("\x28\xb5\x2f\xfd"), "zstdcat a.gz | gpusort -"],
    ["an xz file", start("\xfd7zXZ\0"), "xzcat a.gz"],
    ["a bzip2 file", start("BZh91AY&SY"), "bzcat a.gz"],
    ["a zip file", start("PK\x03\x04"), "unzip -p a.gz"],
    ["an Arrow file", start("ARROW1"), "f.read_table('a.gz')"],
    ["a Feather file", start("FEA1"), "f.read_table('a.gz')"],
    ["an Arrow stream", start("\xff\xff\xff\xff\x78\0\0\0\x10"), "a.ipc.open_stream('a.gz').read_all()"],
    ["an HDF5 file", start("\x89HDF\r\n\x1a\n"), "np.save"],
    ["an SQLite database", start("SQLite format 3"), "np.save"],
    ["an Office document", start(`PK\x03\x04${"\0".repeat(26)}[Content_Types].xml`), "as CSV"],
    ["an Office document", start("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "as CSV"],
    ["an lz4 file", start("\x04\x22\x4d\x18"), "lz4cat a.gz"],
    ["a 7z file", start("7z\xbc\xaf\x27\x1c"), "7z e -so a.gz"],
    ["a tar file", start(`name${"\0".repeat(253)}ustar`), "tar xOf a.gz"],
    ["a NetCDF file", start("CDF\x02"), "np.save"],
    ["a PDF document", start("%PDF-1.7\n"), "pdftotext"],
    ["a PNG image", start("\x89PNG\r\n\x1a\n"), "np.save"],
    ["a JPEG image", start("\xff\xd8\xff\xe0\0\x10JFIF"), "np.save"],
    ["a JPEG image", start("\xff\xd8\xff\xe1\0\x10Exif"), "np.save"],
    ["a GIF image", start("GIF89a"), "np.save"],
    ["a WAVE, AVI or WebP file", start("RIFF    WAVE"), "np.save"],
    ["an MP4 file", start("\0\0\0\x20ftypisom"), "np.save"],
    ["a program (ELF)", start("\x7fELF"), "file of data"],
  ])("is refused if it is %s, even if its type is named", async (what, bytes, wayOut) => {
    for (const type of [undefined, "u8"] as const) {
      const deciding = kindOf(input("a.gz", bytes), { type });
      await expect(deciding).rejects.toThrow(InputError);
      await expect(deciding).rejects.toMatchObject({
        message: `a.gz is ${what}`,
        hint: expect.stringContaining(wayOut),
        options: ["format"],
      });
    }
    for (const name of ["a.txt", "a.csv"]) await expect(decided(name, bytes)).rejects.toThrow(InputError);
    expect(await decided("a.gz", bytes, { format: "raw" })).toBe("raw");
    expect(await decided("a.gz", bytes, { format: "lines" })).toBe("lines");
    expect(await decided("a.u32", bytes)).toBe("raw");
  });

  it("has no path in the hint if it is a stream", async () => {
    const deciding = kindOf(input("standard input", gzipSync("1\n"), true), {});
    await expect(deciding).rejects.toHaveProperty("hint", expect.stringContaining("zcat | gpusort -"));
    const tar = kindOf(input("standard input", start(`name${"\0".repeat(253)}ustar`), true), {});
    await expect(tar).rejects.toHaveProperty("hint", expect.stringContaining("tar xOf - | gpusort -"));
    // What lists its contents at its end is not unpacked from a pipe.
    for (const [magic, command] of [
      ["PK\x03\x04", "unzip -p"],
      ["7z\xbc\xaf\x27\x1c", "7z e -so"],
      ["Rar!\x1a\x07", "unrar p -inul"],
    ] as const)
      await expect(kindOf(input("standard input", start(magic), true), {})).rejects.toHaveProperty(
        "hint",
        expect.stringContaining(`save it to a file, and unpack that: ${command} FILE | gpusort -;`),
      );
  });

  it("is refused if it is an ORC file by its first bytes and its name, also with columns", async () => {
    const by = [{ column: "1" }];
    await expect(decided("a.orc", start("ORC"), { by })).rejects.toMatchObject({
      message: "a.orc is an ORC file",
      hint: expect.stringContaining("o.read_table('a.orc')"),
    });
    expect(await decided("a.orc", "ore,1\n", { by })).toBe("csv");
    expect(await decided("a.bin", start("ORC"), { type: "u8" })).toBe("raw");
  });

  it("is FILE in the hint if a shell or a command could read its name otherwise", async () => {
    for (const name of ["a b.gz", "it's.gz", "$(id).gz", "a;b.gz", "-a.gz"])
      for (const [bytes, wayOut] of [
        [start("\xfd7zXZ\0"), "unpack it: xzcat FILE | gpusort -;"],
        [start("ARROW1"), "f.read_table('FILE')"],
      ] as const)
        await expect(kindOf(input(name, bytes), {})).rejects.toHaveProperty(
          "hint",
          expect.stringContaining(wayOut),
        );
  });

  it("is first decompressed in the hint if it is in a compressed file", async () => {
    for (const [bytes, wayOut] of [
      [gzipSync("1\n"), "unpack it: zcat a.gz | gpusort -;"],
      [start("\xfd7zXZ\0"), "unpack it: zcat a.gz | xzcat | gpusort -;"],
    ] as const) {
      const deciding = kindOf(
        { ...input("a.gz", bytes, true), stats: statSync("package.json", { bigint: true }) },
        {},
      );
      await expect(deciding).rejects.toHaveProperty("hint", expect.stringContaining(wayOut));
    }
  });

  withNumpy.it("is refused if it is an .npz file", async () => {
    const save = "import numpy as np, sys; np.savez(sys.stdout.buffer, a=np.arange(3))";
    const bytes = execFileSync(numpy!, ["-c", save]);
    await expect(decided("a.npz", bytes)).rejects.toThrow("a.npz is an .npz file");
  });
});

const numbers = "1\n22\n333\n4444\n";
const rows = { terminator: 10 };

describe("an input of which something says what it holds", () => {
  it("is what the option says", async () => {
    for (const format of ["raw", "text", "lines", "csv", "npy", "records"] as const)
      expect(await decided("keys.npy", numbers, { format })).toBe(format);
    expect(await decided("keys.csv", numbers, { recordBytes: 2 })).toBe("records");
  });

  it("is what its first bytes say before its name", async () => {
    for (const name of ["keys", "keys.f64", "keys.txt", "keys.csv"])
      expect(await decided(name, Buffer.from("\x93NUMPY\x01\0", "latin1"))).toBe("npy");
  });

  it.each([...extensions].filter(([, { kind }]) => kind !== "parquet"))(
    "is what the extension %s says, in any case, and before that of a compression",
    async (extension, { kind }) => {
      for (const name of [`a.${extension}`, `A.${extension.toUpperCase()}`, `a.${extension}.gz`])
        expect(await decided(name, kind === "raw" ? Buffer.alloc(4) : numbers)).toBe(kind);
    },
  );

  it("is refused if its name says keys, but no type of them, and it begins as text or another file", async () => {
    for (const [, content] of texts.filter(([what]) => !/control|colours|Shift-JIS/.test(what)))
      await expect(decided("a.dat", content)).rejects.toThrow(
        "a.dat is named for binary keys, but begins as text",
      );
    await expect(decided("a.bin", "ARROW1\0\0")).rejects.toThrow("a.bin is an Arrow file");
    expect(await decided("a.bin", "12345678", { type: "u8" })).toBe("raw");
    expect(await decided("a.u32", "12345678")).toBe("raw");
  });

  it("is keys, or numbers of text, if options say so that nothing else has", async () => {
    for (const option of [{ type: "u8" }, { skipBytes: 2 }, { byteOrder: "big" }]) {
      for (const name of ["keys", "keys.csv", "keys.log"])
        expect(await decided(name, "12345678", option)).toBe("raw");
      expect(await decided("words.txt", "a\nb\n", option)).toBe("text");
    }
    for (const option of [{ blankLines: "skip" }, { textOverflow: "inf" }])
      expect(await decided("keys.csv", numbers, option)).toBe("text");
  });

  it("is refused if options of keys alone make keys of it, and lines of text are where these begin", async () => {
    for (const name of ["standard input", "keys", "keys.csv", "keys.log"])
      for (const content of [numbers, "name\n1\n", `${"word ".repeat(700)}\n`])
        await expect(decided(name, content, { type: "u8" })).rejects.toMatchObject({
          message: `${name} begins as lines of text, and not keys of type u8`,
          options: ["format"],
        });
    const skip = { skipBytes: 8 };
    await expect(decided("a.csv", "id,name\n4,abcde\n", skip)).rejects.toThrow(
      "a.csv has lines of text after 8 bytes, and not keys",
    );
    await expect(decided("a.log", numbers, { byteOrder: "little" })).rejects.toThrow("and not keys");
    expect(await decided("a.csv", "id,name\n4,abcde\n", { ...skip, format: "raw" })).toBe("raw");
    expect(await decided("a.csv", "id,name\n\x01\n23", skip)).toBe("raw");
    const header = { type: "u8", skipBytes: 5 };
    expect(await decided("keys", "name\n\x01\x02", header)).toBe("raw");
    expect(await decided("keys", numbers, { type: "u8", format: "raw" })).toBe("raw");
    expect(await decided("keys.bin", numbers, { type: "u8" })).toBe("raw");
    expect(await decided("keys", Buffer.from([10, 1, 2, 3]), { type: "u8" })).toBe("raw");
  });

  it("is lines or CSV if options order them, unless its name or its first bytes deny it", async () => {
    for (const name of ["keys", "a.txt", "a.csv", "a.log"]) {
      expect(await decided(name, numbers, { rows })).toBe("lines");
      expect(await decided(name, numbers, { by: [] })).toBe("csv");
    }
    const npy = Buffer.from("\x93NUMPY\x01\0", "latin1");
    for (const [name, content, kind] of [
      ["k.u32", "abcd", "raw"],
      ["k", npy, "npy"],
    ] as const) {
      await expect(decided(name, content, { rows })).rejects.toThrow(
        `keys of lines do not apply to ${name}: it is read as ${kind}`,
      );
      await expect(decided(name, content, { by: [] })).rejects.toThrow(
        `columns do not apply to ${name}: it is read as ${kind}`,
      );
    }
    for (const array of ['[{"a":1}]', ' [\n{\n"a": 1},\n{"a": 2}]'])
      await expect(decided("a.json", array, { by: [] })).rejects.toMatchObject({
        message: "a.json begins as an array of JSON, which has no rows",
        hint: expect.stringMatching(/jq -c '\.\[\]' (a\.json|FILE) > rows\.jsonl; .* the format csv$/),
      });
    expect(await decided("k", "a\0b\0", { rows: { terminator: 0 } })).toBe("lines");
    expect(await decided("k", "ab\0b\n", { rows })).toBe("lines");
  });
});

describe("several inputs", () => {
  const files = (...all: readonly (readonly [string, string])[]) =>
    kindOfAll(
      all.map(([name, content]) => input(name, content)),
      {},
    );

  it("are of one kind; what is empty and has no name of a kind fits all", async () => {
    expect((await files(["a.u32", "abcd"], ["none", ""])).kind).toBe("raw");
    expect((await files(["none", ""], ["other", ""])).kind).toBeUndefined();
    expect((await files(["a.txt", numbers], ["b", "1\n"])).kind).toBe("text");
    expect((await files(["a.txt", numbers], ["b.log", "1\n"])).kind).toBe("lines");
    const mixed = await files(["a.txt", numbers], ["b.u32", "abcd"]);
    expect([mixed.kind, mixed.all.map(({ kind }) => kind)]).toEqual(["raw", ["text", "raw"]]);
  });

  it("are refused if they are not", async () => {
    await expect(files(["a.csv", "b,1\n"], ["k.u32", "abcd"])).rejects.toThrow(
      "a.csv is read as csv, but k.u32 as raw",
    );
    await expect(files(["a.txt", "1\n"], ["b.csv", "b,1\n"])).rejects.toThrow(
      "b.csv is read as csv, but a.txt",
    );
    await expect(files(["a.log", "1\n"], ["k.u32", "abcd"])).rejects.toThrow("but k.u32 as raw");
    await expect(files(["a.txt", "x,y\nz\n"], ["k.u32", "abcd"])).rejects.toThrow(
      "a.txt holds lines of text, but k.u32 is read as raw",
    );
  });
});
