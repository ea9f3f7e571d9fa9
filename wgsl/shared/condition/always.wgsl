// For a pass that always runs.

fn must_run() -> bool {
  return true;
}
