import { describe, expect, it } from "vitest";
import { realKeys } from "../../bench/real_keys.js";

type Kind = { name: string; type: string; make(count: number, seed: number): ArrayLike<number | bigint> };
const COUNT = 2 ** 17;
const keysOf = (name: string) =>
  Array.from((realKeys as Kind[]).find((kind) => kind.name === name)!.make(COUNT, 1), Number);
const shareOf = (keys: number[], isOne: (key: number) => boolean) => keys.filter(isOne).length / COUNT;

describe("keys as people have them", () => {
  // 1/ζ(s) and r^-s/ζ(s), by ζ(1.1) = 10.5844 and ζ(1.3) = 3.9319
  it.each([
    ["zipf-1.1", 1, 0.09448],
    ["zipf-1.1", 2, 0.04408],
    ["zipf-1.3", 1, 0.25433],
    ["zipf-1.3", 2, 0.10329],
  ])("of %s have rank %i with its probability", (name, rank, share) => {
    expect(shareOf(keysOf(name), (key) => key === rank)).toBeCloseTo(share, 2);
  });

  it("are each number once", () => {
    expect(keysOf("ids").sort((a, b) => a - b)).toEqual(
      Array.from({ length: COUNT }, (_, i) => 1_000_000 + i),
    );
  });

  it("are the beginnings of UUIDs of version 7", () => {
    const kind = (realKeys as Kind[]).find(({ name }) => name === "uuid7")!;
    const [least, most] = [Date.UTC(2025, 9, 9), Date.UTC(2025, 9, 10)];
    for (const key of Array.from(kind.make(1000, 1), BigInt)) {
      const digits = key.toString(16).padStart(16, "0");
      expect(digits[12]).toBe("7");
      expect(Number.parseInt(digits.slice(0, 12), 16)).toBeGreaterThan(least);
      expect(Number.parseInt(digits.slice(0, 12), 16)).toBeLessThan(most);
    }
  });

  it("are as frequent north of 30 degrees as a sphere has area there", () => {
    expect(shareOf(keysOf("latitude"), (key) => key > 30)).toBeCloseTo(0.25, 2);
  });
});
