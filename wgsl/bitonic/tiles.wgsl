// Returns the column and the row of the tile that workgroup `number` processes. The rows of tiles are grouped
// into bands of `band` rows. The tiles are numbered band by band, and column by column within a band.
// Workgroups that run at the same time then access neighbouring rows of both the matrix and its transpose.
// With a band of 1, tiles are numbered row by row. The tiles that fill up the last band are below the matrix.

fn tile_in_band(number: u32, tiles_per_row: u32, band: u32) -> vec2u {
  let in_band = number % (band * tiles_per_row);
  return vec2u(in_band / band, (number / (band * tiles_per_row)) * band + in_band % band);
}
