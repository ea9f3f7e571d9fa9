// What is compared of floats are their codes in the table that msd_remap_plan.wgsl has made.

#import key
#import remap_word
#import remap_table
#constant REMAP  // number of the binding
#family msd/remap

@group(0) @binding(REMAP) var<storage, read> remap: RemapTable;

// What is compared of a key in its ordered form.
fn compared(ordered: Key) -> Key {
  let region = remap[remap_word(ordered) >> (32u - REGION_BITS)];
  return remap_form(remap_code(region, remap_rest(ordered)));
}
