// The last pass of a sort of which only values or indices are wanted writes no keys, and binds no buffer for
// them.

#import key

fn write_key(place: u32, key: Key) {}
