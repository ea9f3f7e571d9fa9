// Finds out whether a device can run radix_fallback: whether workgroups that wait for each other at the grid
// barrier go on, and then see what the others wrote before it. In each round, the workgroups replace all words
// by words that depend on those of the round before, most of which others have written, as a move of the
// fallback does. One word that came late, or was overwritten too early, changes what follows from it. The
// result is the same for any number of participating workgroups.

#import grid_barrier
#enable subgroups
#constant WORKGROUP_SIZE
#constant WORDS  // a power of two

struct GridBarrierProbeParams {
  rounds: u32,
  zero: u32,  // 0, which the compiler does not know
}

// The words twice: a round reads one half and writes the other, the first round the upper one.
@group(0) @binding(0) var<storage, read_write> words: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> params: GridBarrierProbeParams;

// An odd number: multiplying by it reorders the words, and keeps different ones different.
const FACTOR = 0x9e3779b1u;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let own = enter_grid_barrier(grid.x, invocation);
  if own.count == 0u { return; }
  for (var round = 0u; round < params.rounds; round++) {
    let begin = (round % 2u) * WORDS;
    var replaced = 0u;
    for (var i = own.number * WORKGROUP_SIZE + invocation; i < WORDS; i += own.count * WORKGROUP_SIZE) {
      let word = (atomicLoad(&words[begin + i]) + i + round) * FACTOR;
      replaced |= atomicExchange(&words[WORDS - begin + (i * FACTOR + round) % WORDS], word);
    }
    grid_barrier((round + 1u) * own.count, replaced, params.zero, invocation);
  }
}
