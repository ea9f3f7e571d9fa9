import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Gensort } from "../../src/graysort/gensort.js";
import { type GensortName, gensortNames } from "../../src/graysort/record.js";
import { crcSumText } from "../../src/graysort/valsort.js";
import { plainRecords } from "../support/plain_gensort.js";

const PIECE = 4000;
const generators = gensortNames.flatMap((kind) =>
  [false, true].map((skewed) => ({
    kind,
    skewed,
    records: new Gensort({ kind, skewed, pieceRecords: PIECE }),
  })),
);

/** Records, and what gensort -c prints of them. */
function make(kind: GensortName, skewed: boolean, first: number, count: number) {
  const { records } = generators.find((one) => one.kind === kind && one.skewed === skewed)!;
  const parts: Buffer[] = [];
  let sum = 0n;
  for (let done = 0; done < count; done += PIECE) {
    const piece = records.pieces[0].subarray(0, Math.min(PIECE, count - done) * 100);
    records.fill(piece, first + done);
    parts.push(Buffer.from(piece));
    sum += records.crcSum(piece);
  }
  return { bytes: Buffer.concat(parts), checksum: crcSumText(sum) };
}

/** What C. Nyberg's gensort 1.5 made by `gensort -c -bFIRST COUNT`, with -s if skewed, with -a if of text. */
const original: readonly (readonly [
  kind: GensortName,
  skewed: boolean,
  first: number,
  count: number,
  sha256: string,
  checksum: string,
])[] = [
  ["gensort", false, 0, 1, "7bda0438360efb41b7bdabebb95e86438c045fd8206ad0765f76942001506374", "9ea593a0"],
  [
    "gensort-ascii",
    false,
    0,
    1,
    "7c8c936055ae82c3c7b7c31ef16c49987b4f3c06d511304f95b9b7054b6c14b6",
    "3fcaea0a",
  ],
  [
    "gensort",
    false,
    0,
    1000,
    "f524474116510d1debac6d38152e793a7e3cb71b1dd2bb45b6610e3c17698177",
    "1ea6370b955",
  ],
  [
    "gensort",
    true,
    0,
    1000,
    "e29ce5d551d332a974d978a4a4b3535efcd5df559328fe4ee11bf7f481269444",
    "1e96301166b",
  ],
  [
    "gensort-ascii",
    false,
    0,
    1000,
    "6c26b26a61464dd78038f9c60907c851ac043c07584b12835fe065cbca31aad2",
    "1f5dfb3631a",
  ],
  [
    "gensort-ascii",
    true,
    0,
    1000,
    "33dc462ab1da5ddedecf127d65c8856b59baec45a15b91f79aafd116514ac65e",
    "1eef17d1cac",
  ],
  [
    "gensort",
    false,
    999,
    2049,
    "a7209e106f277e51e3f22c41b1e1fdccfc86bd1f0268c85c2c7983c244c29d8a",
    "3fe4f238646",
  ],
  [
    "gensort",
    true,
    999,
    2049,
    "d0d6279b8adc6a778886e396493194d0cf78dc9d39afb49d26cd3849090de038",
    "3f97ca236db",
  ],
  [
    "gensort-ascii",
    false,
    999,
    2049,
    "f889674cfa327f5afa96d66390b46111ad762bdcad1949e9cc4574d9fd3abf08",
    "4058a401a4d",
  ],
  [
    "gensort-ascii",
    true,
    999,
    2049,
    "b40fa219e2693485a5d793b61dca71f954129d816bf0a12f5ed4e6cf85632704",
    "3f9622c072c",
  ],
  [
    "gensort",
    false,
    4294967290,
    600,
    "6ceeca40bf426d98194ea558580fbfe9cfb8562258c8ff84a7a554953dbe14f2",
    "135fc6dbb19",
  ],
  [
    "gensort",
    true,
    4294967290,
    600,
    "6373e287e69f051df6406597419bc34c7ff0946e307a27f612c412d98cac6da0",
    "1251babbf95",
  ],
  [
    "gensort-ascii",
    false,
    4294967290,
    600,
    "a7af46b5b999675656af40c3da017ea5fd1b61b00b4905ca6c67b74bd5077847",
    "12f96a5ad4e",
  ],
  [
    "gensort-ascii",
    true,
    4294967290,
    600,
    "3e17c651622db5378d8c0e4e60812bd142a7dfab221acb26f3f3fd57c49ad4e9",
    "1206e5a0451",
  ],
  [
    "gensort",
    false,
    1000000000000,
    600,
    "7d143e5861fb047242319c4bd02808b03b5cfe627d7176af5c579e50cdf9fa43",
    "121cc568e36",
  ],
  [
    "gensort",
    true,
    1000000000000,
    600,
    "d352a61cdaf5366200805e8b53417deef3c316ef2e9eeac447306b9973c09deb",
    "125cea6da0c",
  ],
  [
    "gensort-ascii",
    false,
    1000000000000,
    600,
    "9cf9bed43f3fbdd8ca3ea86711daedf0541ec82bcebfb6ee0a02cb84a220a5fc",
    "138f9bf8e28",
  ],
  [
    "gensort-ascii",
    true,
    1000000000000,
    600,
    "50d5831a7c2e2ed63914ae683e130c9618c13472392e372ac133fe5deed70e92",
    "136cd125d4d",
  ],
  [
    "gensort",
    false,
    4503599627369696,
    800,
    "7ba11e1b50cc35d1bea8bf130903e04e3eb741f08497ce2de31ad4f77428a07b",
    "195d430cdd0",
  ],
  [
    "gensort",
    true,
    4503599627369696,
    800,
    "541ae6bae967ac406000d189f0b24606c9d6ba8dea1460f92592793f5bb679db",
    "194196d9466",
  ],
  [
    "gensort-ascii",
    false,
    4503599627369696,
    800,
    "3465876e5053f87a5d7f28a6363ca8850d4936f3deacf3ee23803411a30fe281",
    "19b8f0ed837",
  ],
  [
    "gensort-ascii",
    true,
    4503599627369696,
    800,
    "c4ad11d550164106952040494237296286310c18202b3283e6ac64abd21ea4ab",
    "18e86a232aa",
  ],
];

describe("the records of gensort", () => {
  it.each(original)("%s, skewed: %s, from %i, %i records", (kind, skewed, first, count, sha256, checksum) => {
    const made = make(kind, skewed, first, count);
    expect([createHash("sha256").update(made.bytes).digest("hex"), made.checksum]).toEqual([
      sha256,
      checksum,
    ]);
  });

  // The README of tildeleb/Heapsort on GitHub shows what valsort printed of a sorted file.
  it("of text have the checksum that was published of 163,840 of them", () => {
    expect(make("gensort-ascii", false, 0, 163_840).checksum).toBe("1400fed7bb2c2");
  });

  it("are the same wherever a part begins and ends", () => {
    const first = fc.oneof(
      fc.nat(3000),
      fc.tuple(fc.integer({ min: 0, max: 51 }), fc.integer({ min: -600, max: 600 })).map(([bits, more]) => {
        return Math.max(0, 2 ** bits + more);
      }),
      fc.maxSafeInteger().map((number) => Math.abs(number) % 2 ** 52),
    );
    // 512 is the kernels' block.
    const count = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 500, max: 530 }));
    fc.assert(
      fc.property(fc.constantFrom(...generators), first, count, ({ kind, skewed }, from, some) => {
        const expected = plainRecords(kind, skewed, from, some);
        expect(make(kind, skewed, from, some).bytes.equals(expected)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it("are skewed only in the first six bytes of their keys", () => {
    for (const kind of gensortNames) {
      const [uniform, skewed] = [false, true].map((isSkewed) => make(kind, isSkewed, 1000, 2000).bytes);
      const changed = new Set<number>();
      for (let i = 0; i < uniform!.length; i++) if (uniform![i] !== skewed![i]) changed.add(i % 100);
      expect([...changed].sort()).toEqual([0, 1, 2, 3, 4, 5]);
    }
  });
});
