// For a sort that does not count the keys of few distinct values.

#import msd_samples

const FINDS_FEW = false;

fn find_few(keys: ptr<function, SampleKeys>, invocation: u32) -> u32 {
  return 0u;
}
