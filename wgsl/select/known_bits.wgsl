// How a key compares with the k-th key of a radix select, as far as its bits are known.

#import key
#import order
#import compared
#import selection

// The known bits of a key in its ordered form.
fn known_bits(selection: Selection, ordered: Key) -> Key {
  return masked(compared(ordered), selection.known_low, selection.known_high);
}

// The known bits of the k-th key.
fn prefix_of(selection: Selection) -> Key {
  return key_of(selection.prefix_low, selection.prefix_high);
}

// Whether a key goes before the k-th key by its known bits, so that it is selected.
fn is_before(selection: Selection, known: Key) -> bool {
  return precedes(known, prefix_of(selection));
}
