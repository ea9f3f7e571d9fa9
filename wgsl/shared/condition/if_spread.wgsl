// For a pass of a sort by the most significant digit first that spreads floats by a table. It runs if
// msd_spread_plan.wgsl has made the table, unless an earlier pass found a segment that is too long.

#import spread_table
#constant FITS  // number of the binding
#family msd/spread

@group(0) @binding(FITS) var<storage, read> fits: array<u32>;

// Whether the pass must run. If not, it returns immediately.
fn is_wanted() -> bool {
  return fits[0] == ARE_SPREAD;
}
