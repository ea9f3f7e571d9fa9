// Keys move without values.

const HAS_VALUES = false;

fn value_at(at: u32) -> u32 {
  return 0u;
}

fn value_in(at: u32, odd: bool) -> u32 {
  return 0u;
}

fn put_value(at: u32, odd: bool, value: u32) {}
