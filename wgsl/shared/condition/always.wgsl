// For a pass that always runs.

fn is_wanted() -> bool {
  return true;
}
