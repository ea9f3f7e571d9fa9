// For a count pass that looks at no sample, or of which another pass has looked at one.

fn look_first(column: u32, invocation: u32) {
}
