import type { ReadWord } from "./row_words.js";

/** Dates as words: as wgsl/rows/row_dates.wgsl, on characters and JavaScript's own dates. */

const time = (colon: string) =>
  `(?:[Tt]| (?=\\d))(\\d\\d)${colon}(\\d\\d)(?:${colon}(\\d\\d)(?:[.,](\\d+))?)?` +
  "(?: ?(?:[Zz]|([+-])(\\d\\d)(?::?(\\d\\d))?)?)";
const forms = [`-(\\d\\d)(?:-(\\d\\d)(?:${time(":")})?)?`, `(\\d\\d)(\\d\\d)(?:${time("")})?`].map(
  (form) => new RegExp(`^(\\d{4})${form}[ \\t\\n]*$`),
);

const MARK = 1n << 63n;
/** Days from the last day of February of the year -1 to the first one of 1970. */
const DAYS_TO_1970 = 719_835;

/** A date in words: its seconds in UTC, and the digits of a second's fraction; undefined if it is none. */
function read(text: string): { readonly seconds: number; readonly fraction: string } | undefined {
  const parts = forms.map((form) => form.exec(text)).find((found) => found !== null);
  if (!parts) return undefined;
  const numberAt = (place: number, otherwise = 0) => Number(parts[place] ?? otherwise);
  const [month, day] = [numberAt(2) - 1, numberAt(3, 1)];
  const date = new Date(0);
  date.setUTCFullYear(numberAt(1), month, day);
  if (date.getUTCMonth() !== month || date.getUTCDate() !== day) return undefined;
  const [hour, minute, second] = [numberAt(4), numberAt(5), numberAt(6)];
  const [zoneHours, zoneMinutes] = [numberAt(9), numberAt(10)];
  if (hour > 24 || minute > 59 || second > 60 || (hour === 24 && minute + second > 0)) return undefined;
  if (zoneHours > 23 || zoneMinutes > 59) return undefined;
  const ahead = (zoneHours * 60 + zoneMinutes) * (parts[8] === "-" ? -60 : 60);
  const days = date.getTime() / 86_400_000 + DAYS_TO_1970;
  return { seconds: days * 86_400 + hour * 3600 + minute * 60 + second - ahead, fraction: parts[7] ?? "" };
}

/** @param text without blanks before it. */
export function dateWord(text: string, stage: number): ReadWord {
  const date = read(text);
  if (!date) return { word: 0n, more: false };
  const end = 7 + 19 * stage;
  const digits = BigInt(date.fraction.slice(Math.max(0, end - 19), end).padEnd(stage === 0 ? 7 : 19, "0"));
  const more = /[1-9]/.test(date.fraction.slice(end));
  return { word: stage === 0 ? MARK | (BigInt(date.seconds) * 10_000_000n + digits) : digits, more };
}
