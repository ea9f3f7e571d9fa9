// Lets workgroups of one dispatch wait for each other. WebGPU does not promise that workgroups run at the same
// time, so those that do find it out (T. Sorensen et al., "Portable inter-workgroup barrier synchronisation for
// GPUs", 2016): a workgroup becomes a member when it begins, until the first member closes the meeting. Those
// that begin later leave. So every member has begun. A device with parallel forward progress then runs all
// members to their end, although they wait for each other (DeviceTraits.parallelProgress). On any other device
// the loops end too, but some keys may be lost. The check of arrays detects that; sorts of buffers have none.
//
// WGSL has no barrier for memory that workgroups share. What a member writes before a meeting must be written
// by atomicExchange, and the words that this returned be passed to `meet`; what it reads after it must be read
// by atomicLoad. No specification promises that others see these words then. They do where an atomic operation
// that has returned was done in memory that all workgroups share, as on NVIDIA's GPUs.

#enable subgroups
#constant MEETING   // number of the binding
#constant PATIENCE  // looks without a new member after which the first member closes the meeting

// The first word is that of the condition "unless_fits"; an earlier pass has set the others to 0.
@group(0) @binding(MEETING) var<storage, read_write> meeting: array<atomic<u32>>;

const FITS_WORD = 0u;
const BEGUN = 1u;    // workgroups that have begun, and CLOSED
const MEMBERS = 2u;  // members, once the meeting is closed
const ARRIVED = 3u;  // members that have arrived, in all meetings

const CLOSED = 0x80000000u;
// Looks after which a member does not wait any longer: some seconds.
const MOST_LOOKS = 1u << 24u;

struct Member {
  number: u32,   // among the members, from 0 on
  members: u32,  // 0 for a workgroup that must leave
}

var<workgroup> joined: Member;
var<workgroup> replaced_words: atomic<u32>;

// Waits until all workgroups have begun, or no more seem to, and returns how many are members.
fn close_meeting(workgroups: u32) -> u32 {
  var begun = 1u;
  for (var looks = 0u; looks < PATIENCE && begun < workgroups; looks++) {
    let now = atomicLoad(&meeting[BEGUN]);
    if now != begun { looks = 0u; }
    begun = now;
  }
  let members = atomicOr(&meeting[BEGUN], CLOSED);
  atomicStore(&meeting[MEMBERS], members);
  return members;
}

// Makes the workgroup a member, unless the sort has not been given up or the meeting is closed. All
// invocations must call it.
fn join_meeting(workgroups: u32, invocation: u32) -> Member {
  if invocation == 0u {
    atomicStore(&replaced_words, 0u);
    var member = Member(0u, 0u);
    if atomicLoad(&meeting[FITS_WORD]) == 0u {
      member.number = atomicAdd(&meeting[BEGUN], 1u);
      if member.number == 0u {
        member.members = close_meeting(workgroups);
      } else if member.number < CLOSED {
        for (var looks = 0u; looks < MOST_LOOKS && member.members == 0u; looks++) {
          member.members = atomicLoad(&meeting[MEMBERS]);
        }
      }
    }
    joined = member;
  }
  return workgroupUniformLoad(&joined);
}

// Waits until `arrivals` members have arrived, in all meetings so far. `replaced` is any combination of what
// atomicExchange returned since the last one, and `zero` is 0, which the compiler must not know. All
// invocations must call it.
fn meet(arrivals: u32, replaced: u32, zero: u32, invocation: u32) {
  let words = subgroupOr(replaced);
  if subgroupElect() { atomicOr(&replaced_words, words); }
  storageBarrier();
  workgroupBarrier();
  if invocation == 0u {
    // What is added depends on what was returned, so neither a compiler nor a device can add it before the
    // words are exchanged.
    let one = 1u + min(atomicLoad(&replaced_words), zero);
    atomicAdd(&meeting[ARRIVED], one);
    var looks = 0u;
    while looks < MOST_LOOKS && atomicLoad(&meeting[ARRIVED]) < arrivals { looks++; }
    // Once a member has waited in vain, nobody waits any longer.
    if looks == MOST_LOOKS { atomicOr(&meeting[ARRIVED], CLOSED); }
  }
  storageBarrier();
  workgroupBarrier();
}
