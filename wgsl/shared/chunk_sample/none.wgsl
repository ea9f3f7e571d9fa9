// For a count pass that takes no sample, or of which another pass has taken one.

fn sample_first(column: u32, invocation: u32) {
}
