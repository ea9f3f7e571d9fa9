#if row_months/some
// Some keys are names of months: the first three letters, in either case.

#import row_value

const MONTH_COUNT = 12u;
const MONTHS = array<u32, MONTH_COUNT>(
  0x4a414eu, 0x464542u, 0x4d4152u, 0x415052u, 0x4d4159u, 0x4a554eu,  // JAN to JUN
  0x4a554cu, 0x415547u, 0x534550u, 0x4f4354u, 0x4e4f56u, 0x444543u,
);
const WITHOUT_CASE = 0xdfdfdfu;

// 0 for none, then January to December.
fn month_value(start: u32, end: u32) -> Value {
  let letters = (next_bytes(start, end) >> 8u) & WITHOUT_CASE;
  var month = 0u;
  for (var i = 0u; i < MONTH_COUNT; i++) {
    if MONTHS[i] == letters { month = i + 1u; }
  }
  return Value(vec2u(month, 0u), false, false, month != 0u, end);
}

#else
// No key is the name of a month.

#import row_value

fn month_value(start: u32, end: u32) -> Value {
  return Value(vec2u(), false, false, false, end);
}

#end
