// No values move with the keys.

#family msd/together

const HAS_VALUES = false;

fn value_at(at: u32, is_odd: bool) -> u32 {
  return 0u;
}

fn exchange_value(at: u32, value: u32, is_odd: bool) -> u32 {
  return 0u;
}
