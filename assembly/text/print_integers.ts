import { LINE_FEED, MINUS } from "./constants";
import { writeNumber } from "./digits";
import { report } from "./line";

/** The key at an address, with its sign extended if it has one. */
function loadInteger(at: usize, bytes: u32, signed: bool): u64 {
  if (bytes === 8) return load<u64>(at);
  if (bytes === 4) return signed ? <u64>(<i64>load<i32>(at)) : load<u32>(at);
  if (bytes === 2) return signed ? <u64>(<i64>load<i16>(at)) : load<u16>(at);
  return signed ? <u64>(<i64>load<i8>(at)) : load<u8>(at);
}

/** Prints `n` integers of `bytes` bytes, one on each line. */
export function printIntegers(keys: usize, n: u32, into: usize, bytes: u32, signed: bool, done: usize): void {
  const end = keys + <usize>n * bytes;
  let to = into;
  for (let at = keys; at < end; at += bytes) {
    let key = loadInteger(at, bytes, signed);
    if (signed && <i64>key < 0) {
      store<u8>(to++, MINUS);
      key = -key;
    }
    to = writeNumber(to, key);
    store<u8>(to++, LINE_FEED);
  }
  report(done, n, n, to - into);
}
