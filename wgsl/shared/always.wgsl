// A pass that always runs. See unless_fits.

fn is_wanted() -> bool {
  return true;
}
