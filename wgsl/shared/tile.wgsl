// The keys that a workgroup handles at a time, and what an invocation holds of them.

#import key
#constant WORKGROUP_SIZE
#constant KEYS_PER_INVOCATION

const TILE = WORKGROUP_SIZE * KEYS_PER_INVOCATION;

alias TileKeys = array<Key, KEYS_PER_INVOCATION>;
alias TileWords = array<u32, KEYS_PER_INVOCATION>;
