// The keys that a workgroup handles at a time, what an invocation holds of them, and the counters that rank
// them: in subgroups (rank_counters.wgsl), or in bins (bins.wgsl).

#import key
#constant WORKGROUP_SIZE
#constant KEYS_PER_INVOCATION
#constant COUNTERS  // words of workgroup memory

const TILE = WORKGROUP_SIZE * KEYS_PER_INVOCATION;

alias TileKeys = array<Key, KEYS_PER_INVOCATION>;
alias TileWords = array<u32, KEYS_PER_INVOCATION>;

var<workgroup> counters: array<atomic<u32>, COUNTERS>;
