/** Numbers as people read them. Values carry their unit in their name; here is where they get it in text. */

/** 1048577 -> "1,048,577". */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** Decimal units, four characters of number: "4.19 MB". */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${threeDigits(bytes / 1000 ** power)} ${units[power]}`;
}

/** "0.123 ms", "12.3 ms", "1,234 ms". */
export function formatMs(ms: number): string {
  return ms >= 1000 ? formatCount(Math.round(ms)) : ms < 1 ? ms.toFixed(3) : threeDigits(ms);
}

/** Seconds as the seed's table has them. */
export function formatSeconds(seconds: number): string {
  return seconds.toFixed(6);
}

/** Bytes moved in so many milliseconds, in 10^9 bytes a second. */
export function formatGbPerSecond(bytes: number, ms: number): string {
  return ms > 0 ? threeDigits(bytes / ms / 1e6) : "";
}

/** "0.58x", "12.3x", "1,234x". */
export function formatRatio(ratio: number): string {
  return `${ratio >= 1000 ? formatCount(Math.round(ratio)) : threeDigits(ratio)}x`;
}

/** 33554432 -> "2^25"; numbers that are no power of two stay as they are. */
export function formatPowerOfTwo(count: number): string {
  const power = Math.log2(count);
  return Number.isInteger(power) && power >= 4 ? `2^${power}` : formatCount(count);
}

function threeDigits(value: number): string {
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(3);
}
