// Decimal digits, eight at a time in one word, the first digit in the lowest byte.

const ZEROS: u64 = 0x3030303030303030;
const TENS = memory.data<u64>([
  1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000,
  1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000,
  1000000000000000000, 10000000000000000000,
]);

/** 10^n, for n up to 19. */
export function powerOfTen(n: u32): u64 {
  return load<u64>(TENS + ((<usize>n) << 3));
}

/** Eight characters, each digit as its value. */
export function charactersAt(at: usize): u64 {
  return load<u64>(at) ^ ZEROS;
}

/** How many of eight characters are digits before the first that is none. */
export function countDigits(characters: u64): u32 {
  // The addition carries only out of characters that are no digits, so the lowest mark is right.
  const others = ((characters + 0x7676767676767676) | characters) & 0x8080808080808080;
  return <u32>(ctz(others) >> 3);
}

/** The number of the first `n` of eight characters, which are digits; n is at least 1. */
export function numberOf(characters: u64, n: u32): u64 {
  let x = characters << (64 - 8 * <u64>n);
  x = (x * 10 + (x >> 8)) & 0x00ff00ff00ff00ff;
  x = (x * 100 + (x >> 16)) & 0x0000ffff0000ffff;
  return (x * 10000 + (x >> 32)) & 0xffffffff;
}

/** How many digits `upToSixteen` read last. */
export let digitsRead: u32 = 0;

/** The number of the digits at `at`, or of the first 16 of them; 0 if there are none. Sets `digitsRead`. */
export function upToSixteen(at: usize): u64 {
  const characters = charactersAt(at);
  digitsRead = countDigits(characters);
  if (digitsRead === 0) return 0;
  const number = numberOf(characters, digitsRead);
  if (digitsRead < 8) return number;
  const others = charactersAt(at + 8);
  const more = countDigits(others);
  if (more === 0) return number;
  digitsRead += more;
  return number * powerOfTen(more) + numberOf(others, more);
}

/** The eight digits of a number below 10^8, with leading zeros, as values. */
function digitsOf(number: u32): u64 {
  const upper = number / 10000;
  const fours = <u64>upper | ((<u64>(number - upper * 10000)) << 32);
  const hundreds = ((fours * 10486) >> 20) & 0x0000007f0000007f;
  const twos = hundreds | ((fours - hundreds * 100) << 16);
  const tens = ((twos * 103) >> 10) & 0x000f000f000f000f;
  return tens | ((twos - tens * 10) << 8);
}

/** Writes a number without leading zeros. May write up to eight bytes more. @returns the end of its digits. */
export function writeNumber(at: usize, number: u64): usize {
  if (number < 100000000) return writeFirst(at, <u32>number);
  const upper = number / 100000000;
  const lower = <u32>(number - upper * 100000000);
  if (upper < 100000000) return writeEight(writeFirst(at, <u32>upper), lower);
  const top = upper / 100000000;
  const middle = <u32>(upper - top * 100000000);
  return writeEight(writeEight(writeFirst(at, <u32>top), middle), lower);
}

function writeFirst(at: usize, number: u32): usize {
  if (number < 10) {
    store<u8>(at, 48 + number);
    return at + 1;
  }
  const digits = digitsOf(number);
  const zeros = ctz(digits) >> 3;
  store<u64>(at, (digits | ZEROS) >> (zeros << 3));
  return at + 8 - <usize>zeros;
}

function writeEight(at: usize, number: u32): usize {
  store<u64>(at, digitsOf(number) | ZEROS);
  return at + 8;
}
