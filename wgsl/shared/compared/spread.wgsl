// What is compared of floats are their codes in the table that msd_spread_plan.wgsl has made.

#import key
#import spread_word
#import spread_table
#constant SPREAD  // number of the binding
#family msd/spread

@group(0) @binding(SPREAD) var<storage, read> spread: SpreadTable;

// What is compared of a key in its ordered form.
fn compared(ordered: Key) -> Key {
  let region = spread[spread_word(ordered) >> (32u - REGION_BITS)];
  return spread_form(spread_code(region, spread_rest(ordered)));
}
