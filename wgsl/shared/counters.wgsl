// Counters of a workgroup. Keys are ranked by these: in subgroups (rank_counters.wgsl), or in bins (bins.wgsl).

#constant COUNTERS  // words of workgroup memory

var<workgroup> counters: array<atomic<u32>, COUNTERS>;
