import { describe, expect, it } from "vitest";
import { bar, svgChart } from "../../src/demos/chart.js";

const chart = (points: [number, number][]) =>
  svgChart({ title: "a < b", xLabel: "x", yLabel: "y", points, dots: true });

describe("a chart", () => {
  it("has its points in place between round numbers", () => {
    const text = chart([
      [0, 0],
      [10, 40],
      [20, 80],
    ]);
    // 720 x 400 with margins of 84 and 20, 44 and 52: the axes end at 20 and 80.
    expect(text).toContain('points="84.0,348.0 392.0,196.0 700.0,44.0"');
    for (const tick of [0, 20, 40, 60, 80]) expect(text).toContain(`>${tick}<`);
    expect(text.match(/<circle/g)).toHaveLength(3);
  });

  it("escapes its words, and survives a curve of zeros", () => {
    expect(chart([[1, 0]])).toContain("a &lt; b");
    expect(chart([[1, 0]])).not.toContain("NaN");
  });
});

describe("a bar", () => {
  it("is as long as its share, to an eighth of a character", () => {
    expect(bar(1, 4)).toBe("████");
    expect(bar(0, 4)).toBe("");
    expect(bar(0.5, 4)).toBe("██");
    expect(bar(0.53125, 4)).toBe("██▏");
    expect(bar(7, 2)).toBe("██");
  });
});
