// One dispatch cuts the keys of a radix sort into chunks and writes the parameters of all moves, one block
// per digit. It is used when only the device knows the number of keys. If the caller knows the number,
// src/core/sort/radix/radix_job.ts does the same on the CPU. A single invocation does all of it.

#import radix_params
#constant BLOCK_BYTES  // distance between the parameters of two digits
#constant DIGIT_BITS   // the maximum number of bits of a digit

struct PlanLimits {
  capacity: u32,     // maximum number of keys; keys past it are not sorted
  chunk_unit: u32,   // a chunk is a multiple of this many keys
  min_chunk: u32,    // minimum number of keys per chunk
  max_columns: u32,  // maximum number of chunks
  begin: u32,        // the lowest bit to sort by
  end: u32,          // the bit after the highest
  count_at: u32,     // the word of the bound buffer that holds the number of keys
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> blocks: array<Block>;
@group(0) @binding(2) var<uniform> limits: PlanLimits;

struct Block {
  @size(BLOCK_BYTES) params: RadixParams,
}

@compute @workgroup_size(1)
fn main() {
  let keys = min(words[limits.count_at], limits.capacity);
  let most = clamp((keys + limits.min_chunk - 1u) / limits.min_chunk, 1u, limits.max_columns);
  let units = (keys + most - 1u) / most;
  let chunk = max(1u, (units + limits.chunk_unit - 1u) / limits.chunk_unit) * limits.chunk_unit;
  let columns = max(1u, (keys + chunk - 1u) / chunk);

  var block = 0u;
  var shift = limits.begin;
  loop {
    // A digit never spans two words.
    let limit = select(limits.end, 32u, shift < 32u && limits.end > 32u);
    let after = min(shift + DIGIT_BITS, limit);
    blocks[block].params.key_count = keys;
    blocks[block].params.shift = shift;
    blocks[block].params.chunk = chunk;
    blocks[block].params.columns = columns;
    blocks[block].params.first_column = 0u;
    blocks[block].params.input_begin = 0u;
    blocks[block].params.output_begin = 0u;
    blocks[block].params.output_keys = keys;
    blocks[block].params.extra_shift = 0u;
    blocks[block].params.segment_keys = 0u;
    blocks[block].params.mask = 0u;
    blocks[block].params.digits = 0u;
    blocks[block].params.digit_stride = 0u;
    blocks[block].params.column_stride = 0u;
    blocks[block].params.pair_low = 0u;
    blocks[block].params.pair_high = 0u;
    blocks[block].params.later_low = 0u;
    blocks[block].params.later_high = 0u;
    block += 1u;
    shift = after;
    if shift >= limits.end { break; } // there is at least one digit, even if it has no bits
  }
}
