// In which form the kernels of a radix sort write keys. radix_keys.wgsl explains when keys are raw and when
// they are in their ordered form.

#import key
#import order
#constant RAW_OUTPUT  // 1 to write raw keys, 0 to write their ordered form

// What to write to the output for a key in its ordered form.
fn output_of(ordered: Key) -> Key {
  if RAW_OUTPUT == 1u { return from_ordered(ordered); }
  return ordered;
}

#if chunk/listed
#import normalization

// Whether the move is the last one of the sort: see EQUAL_SEGMENTS of status.wgsl. The same for all
// invocations.
var<private> ends_sort: bool;

// What a scatter writes for a key that it moves.
fn written_form(moved: Key) -> Key {
  if ends_sort { return output_of(denormalized(moved)); }
  return moved;
}
#else
#if differing_bits/read
// Whether all moves after these two are skipped. The first of the two writes ordered forms in any case
// (RAW_OUTPUT). The same for all invocations.
var<private> ends_sort: bool;

fn written_form(moved: Key) -> Key {
  return select(moved, output_of(moved), ends_sort);
}
#else
fn written_form(moved: Key) -> Key {
  return output_of(moved);
}
#end
#end
