// The order in which workgroups take the tiles of a matrix: bands of `band` rows of tiles, and in a band column by
// column, so that workgroups that run at one time touch neighbouring rows both of the matrix and of its transpose.
// A band of 1 is row after row. Tiles that fill up the last band lie below the matrix.

fn tile_in_band(number: u32, tiles_a_row: u32, band: u32) -> vec2u {
  let in_band = number % (band * tiles_a_row);
  return vec2u(in_band / band, (number / (band * tiles_a_row)) * band + in_band % band);
}
