import { describe, expect, it } from "vitest";
import { GpusortError, InputError, KernelError } from "../../src/core/errors.js";
import { messageLine, messageLines, printable, printableLines } from "../../src/core/printable.js";

/** Every character that a terminal acts on, or that reorders or ends a line. */
const hostile = [
  ...Array.from({ length: 0x20 }, (_, i) => i),
  ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i),
  ...[0x061c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e],
  ...[0x2066, 0x2067, 0x2068, 0x2069],
].map((code) => String.fromCharCode(code));

describe("a printable text", () => {
  it("has each unprintable character escaped as JSON escapes it", () => {
    for (const character of hostile) {
      expect(printable(`a${character}b`)).toMatch(/^a\\(u[0-9a-f]{4}|[bfnrt])b$/);
      expect(JSON.parse(`"${printable(character)}"`)).toBe(character);
    }
    expect(printable("\u001b[31m\n\u009b2J\u007f\u202e")).toBe("\\u001b[31m\\n\\u009b2J\\u007f\\u202e");
  });

  it("is the text itself if it is harmless in any script", () => {
    for (const text of ["keys.u32", "Ähre ß", "数字 ключи أرقام", "👩‍👩‍👧 é", "C:\\temp"]) {
      expect(printable(text)).toBe(text);
      expect(messageLine(text)).toBe(text);
    }
  });

  it("keeps its line breaks if it has lines, so that JSON stays the same JSON", () => {
    const value = { name: hostile.join(""), list: [1, 2] };
    const text = printableLines(JSON.stringify(value, null, 2));
    expect(JSON.parse(text)).toEqual(value);
    expect(text.split("\n")).toHaveLength(7);
    for (const character of hostile) if (character !== "\n") expect(text).not.toContain(character);
  });
});

describe("a message", () => {
  const bytes = (text: string) => new TextEncoder().encode(text).length;

  it("of an error and its hint is one line of less than 2 KB, whatever is in it", () => {
    for (const unit of ["a", "é", "数", "👩", "\u001b", "\u2028"]) {
      for (const count of [1, 400, 2000, 100_000]) {
        const name = unit.repeat(count);
        const { message, hint } = new InputError(`there is no file ${name}, it says`, { hint: name });
        for (const text of [message, hint!]) {
          expect(bytes(text)).toBeLessThan(2000);
          expect(text).not.toMatch(/[\p{Cc}\p{Zl}]/u);
        }
        expect(message).toMatch(/^there is no file .*, it says$/);
      }
    }
  });

  it("says how long it was if it is cut, and is left alone if not", () => {
    const cut = messageLine(`begin ${"x".repeat(5000)} end`);
    expect(cut).toMatch(/^begin x+… \(5010 characters in all\) …x+ end$/);
    expect(messageLine("x".repeat(1900))).toBe("x".repeat(1900));
    expect(messageLines(`${"x".repeat(9000)}\nshort`).split("\n")[1]).toBe("short");
  });

  it("keeps its cause as it was, and may have no hint", () => {
    const cause = new Error("a\nb");
    expect(new GpusortError("a\nb", { cause })).toMatchObject({ message: "a\\nb", cause, hint: undefined });
    expect(new KernelError("radix", "one\ntwo").message).toBe("one\\ntwo");
  });
});
