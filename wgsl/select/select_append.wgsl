// Copies the candidates of a selection, where the order of equal keys does not show: one dispatch appends the
// keys before the bound to the output, in any order, and counts those that equal it. These are equal to it in
// all bits, so select_close.wgsl can write them. Workgroups take turns with tiles, so that all have some
// candidates of an input that is sorted. It reads the keys once.

#import key
#import order
#import selection
#constant WORKGROUP_SIZE

struct AppendParams {
  stride: u32,  // keys in a tile of every workgroup
  room: u32,    // the most keys that can be selected
}

@group(0) @binding(0) var<storage, read> keys: array<Stored>;
@group(0) @binding(1) var<storage, read> selection: Selection;
@group(0) @binding(2) var<storage, read_write> totals: array<atomic<u32>>;   // keys before the bound; equal ones
@group(0) @binding(3) var<storage, read_write> output: array<Key>;
@group(0) @binding(4) var<uniform> params: AppendParams;

// This many loads in flight hide the memory's latency.
const LOADS = 8u;
const TILE = LOADS * WORKGROUP_SIZE;

// Candidates wait here until the workgroup knows how many places it needs: one addition to `totals` gets all of
// them. If there is no place here either, they are written immediately.
const STAGED = 1024u;

var<workgroup> staged: array<Key, STAGED>;
var<workgroup> staged_count: atomic<u32>;
var<workgroup> equal_count: atomic<u32>;
var<workgroup> first_place: u32;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  if invocation == 0u {
    atomicStore(&staged_count, 0u);
    atomicStore(&equal_count, 0u);
  }
  workgroupBarrier();
  let bound = key_of(selection.prefix_low, selection.prefix_high);
  let end = selection.key_count;
  var equal = 0u;
  for (var tile = workgroup.x * TILE; tile < end; tile += params.stride) {
    let first = tile + invocation;
    var held: array<Key, LOADS>;
    for (var k = 0u; k < LOADS; k++) {
      let at = min(first + k * WORKGROUP_SIZE, end - 1u);
      held[k] = unpack(keys[stored_at(at)], at);
    }
    var flags = 0u;
    for (var k = 0u; k < LOADS; k++) {
      let is_key = first + k * WORKGROUP_SIZE < end;
      let form = to_ordered(held[k]);
      flags |= select(0u, 1u << k, is_key && precedes(form, bound));
      equal += select(0u, 1u, is_key && all(form == bound));
    }
    if flags != 0u {
      let count = countOneBits(flags);
      var place = atomicAdd(&staged_count, count);
      let staged_end = max(place, STAGED);
      var direct = 0u;
      if place + count > staged_end { direct = atomicAdd(&totals[0], place + count - staged_end); }
      for (var k = 0u; k < LOADS; k++) {
        if ((flags >> k) & 1u) != 0u {
          if place < STAGED {
            staged[place] = held[k];
          } else {
            let to = direct + place - staged_end;
            if to < params.room { output[to] = held[k]; }
          }
          place += 1u;
        }
      }
    }
  }
  if equal > 0u { atomicAdd(&equal_count, equal); }
  workgroupBarrier();
  let count = min(atomicLoad(&staged_count), STAGED);
  if invocation == 0u {
    if count > 0u { first_place = atomicAdd(&totals[0], count); }
    let equals = atomicLoad(&equal_count);
    if equals > 0u { atomicAdd(&totals[1], equals); }
  }
  let start = workgroupUniformLoad(&first_place);
  for (var i = invocation; i < count; i += WORKGROUP_SIZE) {
    if start + i < params.room { output[start + i] = staged[i]; }
  }
}
