import { describe, expect, it } from "vitest";
import { bar } from "../../../src/demos/pictures/picture.js";
import { encodePicture } from "../../support/demos.js";

async function draw(points: [number, number][]): Promise<string> {
  const chart = { title: "a < b", xLabel: "x", yLabel: "y", points, dots: true };
  return new TextDecoder().decode(await encodePicture({ kind: ".svg", chart }));
}

describe("a chart", () => {
  it("draws its points at the right places, with both axes starting at 0", async () => {
    const text = await draw([
      [5, 40],
      [10, 20],
      [20, 80],
    ]);
    for (const tick of [0, 20, 40, 60, 80]) expect(text).toContain(`>${tick}<`);
    // The picture is 600 x 300 with y from the top. It shows x from 0 to 20 and y from 0 to 80.
    expect(text).toContain('d="M150,150L300,225L600,0"');
    expect(text.match(/aria-roledescription="point"/g)).toHaveLength(3);
  });

  it("escapes its texts, and can draw a curve of zeros", async () => {
    expect(await draw([[1, 0]])).toContain("a &lt; b");
    expect(await draw([[1, 0]])).not.toContain("NaN");
  });
});

describe("a bar", () => {
  it("has a length in proportion to its share, to an eighth of a character", () => {
    expect(bar(1, 4)).toBe("████");
    expect(bar(0, 4)).toBe("");
    expect(bar(0.5, 4)).toBe("██");
    expect(bar(0.53125, 4)).toBe("██▏");
    expect(bar(7, 2)).toBe("██");
  });
});
