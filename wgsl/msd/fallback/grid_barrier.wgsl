// A barrier for the workgroups of one dispatch. WebGPU does not promise that workgroups run at the same time,
// so those that do find it out (T. Sorensen et al., "Portable inter-workgroup barrier synchronisation for
// GPUs", 2016): a workgroup that begins participates, until the first one closes the entry. Those that begin
// later leave. So every participating workgroup has begun. A device with parallel forward progress then runs
// all of them to their end, although they wait for each other. On any other device the loops end too, but some
// keys may be lost. The check of arrays detects that; sorts of buffers have none.
//
// WGSL has no barrier for memory that workgroups share. What a workgroup writes before a barrier must be
// written by atomicExchange, and the words that this returned be passed to `grid_barrier`; what it reads after
// it must be read by atomicLoad. No specification promises that others see these words then. They do where an
// atomic operation that has returned was done in memory that all workgroups share.
//
// So grid_barrier_probe tests both on the device (DeviceTraits.parallelProgress).

#import status
#enable subgroups
#constant GRID_BARRIER      // number of the binding
#constant ENTRY_SPIN_LIMIT  // spins without a new workgroup after which the first one closes the entry
#constant SPIN_LIMIT        // spins after which a workgroup does not wait any longer

// The first word is the status of the sort; an earlier pass has set the others to 0.
@group(0) @binding(GRID_BARRIER) var<storage, read_write> grid_state: array<atomic<u32>>;

const STATUS_WORD = 0u;
const BEGUN = 1u;         // workgroups that have begun, and CLOSED
const PARTICIPANTS = 2u;  // participating workgroups, once the entry is closed
const ARRIVED = 3u;       // workgroups that have arrived, at all barriers

const CLOSED = 0x80000000u;

struct Participant {
  number: u32,  // among the participating workgroups, from 0 on
  count: u32,   // of these; 0 for a workgroup that must leave
}

var<workgroup> entered: Participant;
var<workgroup> replaced_words: atomic<u32>;

// Waits until all workgroups have begun, or no more seem to, and returns how many participate.
fn close_entry(workgroups: u32) -> u32 {
  var begun = 1u;
  for (var spins = 0u; spins < ENTRY_SPIN_LIMIT && begun < workgroups; spins++) {
    let now = atomicLoad(&grid_state[BEGUN]);
    if now != begun { spins = 0u; }
    begun = now;
  }
  let count = atomicOr(&grid_state[BEGUN], CLOSED);
  atomicStore(&grid_state[PARTICIPANTS], count);
  return count;
}

// Makes the workgroup participate, unless there is no need for the fallback or the entry is closed. All
// invocations must call it.
fn enter_grid_barrier(workgroups: u32, invocation: u32) -> Participant {
  if invocation == 0u {
    atomicStore(&replaced_words, 0u);
    var own = Participant(0u, 0u);
    if atomicLoad(&grid_state[STATUS_WORD]) == FALLBACK {
      own.number = atomicAdd(&grid_state[BEGUN], 1u);
      if own.number == 0u {
        own.count = close_entry(workgroups);
      } else if own.number < CLOSED {
        for (var spins = 0u; spins < SPIN_LIMIT && own.count == 0u; spins++) {
          own.count = atomicLoad(&grid_state[PARTICIPANTS]);
        }
      }
    }
    entered = own;
  }
  return workgroupUniformLoad(&entered);
}

// Waits until `arrivals` workgroups have arrived, at all barriers so far. `replaced` is any combination of what
// atomicExchange returned since the last one, and `zero` is 0, which the compiler must not know. All
// invocations must call it.
fn grid_barrier(arrivals: u32, replaced: u32, zero: u32, invocation: u32) {
  let words = subgroupOr(replaced);
  if subgroupElect() { atomicOr(&replaced_words, words); }
  storageBarrier();
  workgroupBarrier();
  if invocation == 0u {
    // What is added depends on what was returned, so neither a compiler nor a device can add it before the
    // words are exchanged.
    let one = 1u + min(atomicLoad(&replaced_words), zero);
    atomicAdd(&grid_state[ARRIVED], one);
    var spins = 0u;
    while spins < SPIN_LIMIT && atomicLoad(&grid_state[ARRIVED]) < arrivals { spins++; }
    // Once a workgroup has waited in vain, nobody waits any longer.
    if spins == SPIN_LIMIT { atomicOr(&grid_state[ARRIVED], CLOSED); }
  }
  storageBarrier();
  workgroupBarrier();
}
