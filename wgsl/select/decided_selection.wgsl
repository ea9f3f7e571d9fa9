// Decides whether the bound of a sample holds: at least k keys are up to it, and those before it fit the room.

#import selection

// The selection, once it is known how many keys are before the bound, and how many equal it. If the bound does
// not hold, the digits of all keys are counted.
fn decided_selection(sampled: Selection, before: u32, equal: u32, room: u32) -> Selection {
  if before + equal < sampled.top_keys || before > room {
    let keys = sampled.key_count;
    return Selection(0u, 1u, keys, sampled.top_keys, 0u, keys, 0u, 0u, 0u, 0u, 0u, 1u);
  }
  var next = sampled;
  next.before = before;
  next.equal = equal;
  // Of too many keys that equal the bound, only the first are taken, or none if there are enough before them.
  let fits_room = before + equal <= room;
  next.taken = select(max(next.top_keys, before) - before, equal, fits_room);
  next.selected = before + next.taken;
  return next;
}
