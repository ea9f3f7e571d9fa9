/**
 * Draws what the times of sorts went to, one below the other on one axis, as SVG:
 *
 *     node bench/waterfall.js LABEL=TRACE[=WALL_MS] ... > waterfall.svg
 *
 * A trace is what `gpusort --trace` writes. WALL_MS is the time of the whole process as its caller saw it: what
 * is left after the trace is drawn as the process's exit.
 */
import { readFileSync } from "node:fs";

const WIDTH = 900;
const LEFT = 120;
const ROW = 18;
const TITLE = 26;
/** @type {Record<string, string>} */
const COLORS = {
  load: "#9aa5b1",
  start: "#7b61a8",
  prepare: "#c46ba1",
  read: "#2f7ebc",
  upload: "#5fb0d8",
  sort: "#d1495b",
  "GPU sort": "#d1495b",
  verify: "#edae49",
  readback: "#66a182",
  write: "#2e8b57",
  publish: "#8d6a3f",
  close: "#9aa5b1",
  exit: "#c9ced4",
};

const panels = process.argv.slice(2).map((argument) => {
  const [label = "", path = "", wall] = argument.split("=");
  /** @type {{ traceEvents: { ph: string, name: string, ts: number, dur: number }[] }} */
  const { traceEvents } = JSON.parse(readFileSync(path, "utf8"));
  const spans = traceEvents.flatMap(({ ph, name, ts, dur }) =>
    ph === "X"
      ? [{ name: / sort$/.test(name) ? "GPU sort" : name, from: ts / 1000, to: (ts + dur) / 1000 }]
      : [],
  );
  const begin = Math.min(...spans.map(({ from }) => from));
  if (begin > 0) spans.push({ name: "load", from: 0, to: begin });
  const end = Math.max(...spans.map(({ to }) => to));
  if (wall !== undefined && Number(wall) > end) spans.push({ name: "exit", from: end, to: Number(wall) });
  return { label, spans };
});

const most = Math.max(...panels.flatMap(({ spans }) => spans.map(({ to }) => to)));
const step = [50, 100, 200, 500, 1000].find((ms) => most / ms <= 10) ?? 2000;
/** @param {number} ms */
const x = (ms) => LEFT + (ms / most) * (WIDTH - LEFT - 20);
/** @param {string} string */
const text = (string) => string.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

let y = 10;
const parts = [];
for (const { label, spans } of panels) {
  const names = Object.keys(COLORS).filter((name) => spans.some((span) => span.name === name));
  const end = Math.max(...spans.map(({ to }) => to));
  parts.push(`<text x="10" y="${y + 15}" font-weight="bold">${text(label)}: ${Math.round(end)} ms</text>`);
  y += TITLE;
  for (let ms = 0; ms <= most; ms += step) {
    parts.push(`<path d="M${x(ms)} ${y}v${names.length * ROW}" stroke="#e3e6ea"/>`);
    parts.push(
      `<text x="${x(ms)}" y="${y + names.length * ROW + 12}" fill="#667" text-anchor="middle">${ms}</text>`,
    );
  }
  for (const name of names) {
    parts.push(`<text x="${LEFT - 8}" y="${y + 13}" text-anchor="end">${name}</text>`);
    for (const { from, to } of spans.filter((span) => span.name === name)) {
      const width = Math.max(1, x(to) - x(from)).toFixed(1);
      parts.push(
        `<rect x="${x(from).toFixed(1)}" y="${y + 2}" width="${width}" height="${ROW - 4}" fill="${COLORS[name]}"/>`,
      );
    }
    y += ROW;
  }
  y += 30;
}
process.stdout.write(
  `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" font-family="sans-serif" font-size="12">` +
    `<rect width="100%" height="100%" fill="white"/>\n${parts.join("\n")}\n</svg>\n`,
);
