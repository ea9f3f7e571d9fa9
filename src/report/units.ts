/** Formats numbers for readers. In code, units are part of names; these functions add them to the text. */

/** 1048577 -> "1,048,577". Places, such as numbers of rows, are written plainly, for other commands. */
export function formatCount(count: number): string {
  return grouped(String(count));
}

/** Digits in groups of three. The first call of toLocaleString would load rules for all languages: 10 ms. */
function grouped(number: string): string {
  return number.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A number of things, whose name is given for one of them: "1 line", "16 lines". */
export function formatNumberOf(count: number, name: string): string {
  return `${formatCount(count)} ${name}${count === 1 ? "" : "s"}`;
}

/** "1 thread", "16 threads". */
export function formatThreads(threads: number): string {
  return formatNumberOf(threads, "thread");
}

/** Bytes in decimal units, with three digits: "4.19 MB". */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let power = 0;
  let value = bytes;
  while (value >= 999.5 && power < units.length - 1) {
    value /= 1000;
    power++;
  }
  return `${power === 0 ? value : threeDigits(value)} ${units[power]}`;
}

/** A rate in 10^9 bytes per second, without its unit; empty if no time passed. */
export function formatGbPerSecond(bytes: number, ms: number): string {
  return ms > 0 ? threeDigits(bytes / ms / 1e6) : "";
}

/** "0.583x", "12.3x", "1,234x". */
export function formatRatio(ratio: number): string {
  return `${threeDigits(ratio)}x`;
}

/** 33554432 -> "2^25". Powers below 2^4 and other numbers are written as counts. */
export function formatPowerOfTwo(count: number): string {
  const power = Math.log2(count);
  return Number.isInteger(power) && power >= 4 ? `2^${power}` : formatCount(count);
}

/** Three significant digits, but at most three decimals: "12.3", "1,234". Smaller numbers are "<0.001". */
export function threeDigits(value: number): string {
  if (value > 0 && value < 0.0005) return "<0.001";
  const decimals = value < 0.9995 ? 3 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return value === 0 ? "0" : grouped(value.toFixed(decimals));
}

/** A rate of things per second, in decimal units: "1.23 G". */
export function formatPerSecond(count: number, ms: number): string {
  const perSecond = (1000 * count) / ms;
  for (const [unit, size] of [
    ["G", 1e9],
    ["M", 1e6],
    ["k", 1e3],
  ] as const) {
    if (perSecond >= 0.9995 * size) return `${threeDigits(perSecond / size)} ${unit}`;
  }
  return threeDigits(perSecond);
}

/** "12.3 µs": three digits, in the largest unit of which there is at least one. */
export function formatDuration(seconds: number): string {
  const units = ["s", "ms", "µs", "ns"];
  let power = 0;
  let value = seconds;
  while (value < 0.9995 && power < units.length - 1) {
    value *= 1000;
    power++;
  }
  return `${value < 0.9995 ? "<1" : threeDigits(value)} ${units[power]}`;
}

/** 0.0123 -> "1.2%". One decimal below 10%, and none from there on. */
export function formatPercent(part: number): string {
  const percent = part * 100;
  return `${percent.toFixed(Math.abs(percent) < 9.95 ? 1 : 0)}%`;
}
