// Shares out a number of keys that only the device knows: what src/sort/radix.ts does where the caller knows it. Writes the
// parameters of every pass. One invocation. src/twins/radix.ts has its twin.
//
// Uses radix_params. Constants: BLOCK (words from one pass's parameters to the next's), DIGIT_BITS.

struct Limits {
  capacity: u32,      // more keys than this are not sorted
  unit: u32,          // a chunk is a multiple of so many keys
  least: u32,         // keys a chunk, at least
  most_columns: u32,
  begin: u32,         // the lowest bit to sort by
  end: u32,           // the bit after the highest
}

@group(0) @binding(0) var<storage, read> key_count: array<u32>;
@group(0) @binding(1) var<storage, read_write> blocks: array<u32>;
@group(0) @binding(2) var<uniform> limits: Limits;

@compute @workgroup_size(1)
fn main() {
  let keys = min(key_count[0], limits.capacity);
  let wanted = clamp((keys + limits.least - 1u) / limits.least, 1u, limits.most_columns);
  let units = (keys + wanted - 1u) / wanted;
  let chunk = max(1u, (units + limits.unit - 1u) / limits.unit) * limits.unit;
  let columns = max(1u, (keys + chunk - 1u) / chunk);

  var block = 0u;
  var shift = limits.begin;
  loop {
    // No digit lies across two words.
    let limit = select(limits.end, 32u, shift < 32u && limits.end > 32u);
    let after = min(shift + DIGIT_BITS, limit);
    blocks[block] = keys;
    blocks[block + 1u] = shift;
    blocks[block + 2u] = chunk;
    blocks[block + 3u] = columns;
    blocks[block + 4u] = 0u;
    blocks[block + 5u] = 0u;
    blocks[block + 6u] = 0u;
    blocks[block + 7u] = keys;
    blocks[block + 8u] = 0u;
    block += BLOCK;
    shift = after;
    if shift >= limits.end { break; } // no bits at all are a digit of none, as in src/sort/radix_job.ts
  }
}
