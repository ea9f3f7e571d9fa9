/** A curve to be plotted. */
export interface Chart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** From left to right; y from 0. Two at the least. */
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Whether each point is marked. */
  readonly dots: boolean;
}

const [WIDTH, HEIGHT] = [720, 400];
const MARGIN = { left: 84, right: 20, top: 44, bottom: 52 };

/** The curve as an SVG, with round numbers along its axes. */
export function svgChart({ title, xLabel, yLabel, points, dots }: Chart): string {
  const xs = points.map(([x]) => x);
  const xTicks = ticks(Math.max(...xs));
  const yTicks = ticks(Math.max(...points.map(([, y]) => y)));
  const right = WIDTH - MARGIN.right;
  const bottom = HEIGHT - MARGIN.bottom;
  const px = (x: number) => MARGIN.left + (x / xTicks.at(-1)!) * (right - MARGIN.left);
  const py = (y: number) => bottom - (y / yTicks.at(-1)!) * (bottom - MARGIN.top);
  const place = ([x, y]: readonly [number, number]) => `${px(x).toFixed(1)},${py(y).toFixed(1)}`;
  const text = (x: number, y: number, anchor: string, words: string, more = "") =>
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}"${more}>${escapeXml(words)}</text>`;
  const lines = [
    ...yTicks.flatMap((y) => [
      `<line x1="${MARGIN.left}" x2="${right}" y1="${py(y).toFixed(1)}" y2="${py(y).toFixed(1)}" stroke="#ddd"/>`,
      text(MARGIN.left - 8, py(y) + 4, "end", tickText(y)),
    ]),
    ...xTicks.map((x) => text(px(x), bottom + 20, "middle", tickText(x))),
    `<polyline points="${points.map(place).join(" ")}" fill="none" stroke="#2563a8" stroke-width="2"/>`,
    ...(dots ? points : []).map((point) => {
      const [x, y] = place(point).split(",");
      return `<circle cx="${x}" cy="${y}" r="4" fill="#2563a8"/>`;
    }),
    text((MARGIN.left + right) / 2, HEIGHT - 12, "middle", xLabel),
    text(
      18,
      (MARGIN.top + bottom) / 2,
      "middle",
      yLabel,
      ` transform="rotate(-90 18 ${(MARGIN.top + bottom) / 2})"`,
    ),
    text(MARGIN.left, 26, "start", title, ' font-weight="bold"'),
  ];
  return svg(title, WIDTH, HEIGHT, lines);
}

/** A whole SVG on white, of one font, with a title for those who cannot see it. */
export function svg(title: string, width: number, height: number, elements: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`,
    ' font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#222">\n',
    `<title>${escapeXml(title)}</title>\n<rect width="${width}" height="${height}" fill="white"/>\n`,
    ...elements.map((element) => `${element}\n`),
    "</svg>\n",
  ].join("");
}

function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** From 0 to `most` or a little over, by steps of 1, 2 or 5 times a power of ten, five to ten of them. */
function ticks(most: number): number[] {
  const rough = (most > 0 ? most : 1) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([5, 2, 1].find((factor) => factor * power <= rough) ?? 1);
  const count = Math.ceil(most / step - 1e-9) || 1;
  return Array.from({ length: count + 1 }, (_, i) => i * step);
}

function tickText(value: number): string {
  return String(Number(value.toPrecision(6)));
}

const EIGHTHS = " ▏▎▍▌▋▊▉█";

/** A bar of block characters, as long as its share of `width` characters. */
export function bar(share: number, width: number): string {
  const eighths = Math.round(Math.max(0, Math.min(1, share)) * width * 8);
  return "█".repeat(Math.floor(eighths / 8)) + (eighths % 8 > 0 ? EIGHTHS[eighths % 8] : "");
}
