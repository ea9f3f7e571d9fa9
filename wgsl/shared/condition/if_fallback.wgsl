// For a fallback pass, which runs only if an earlier pass found that the keys of some digit value do not fit a
// tile. The device decides this itself, so the CPU reads nothing back.

#import status
#constant STATUS  // number of the binding

@group(0) @binding(STATUS) var<storage, read> status: array<u32>;

// Whether the pass must run. If not, it returns immediately.
fn must_run() -> bool {
  return status[0] == FALLBACK;
}

#default
// For a pass that always runs.

fn must_run() -> bool {
  return true;
}
