/** The file of the embedded driver in the package's archive. */
export const driverName = "libvk_swiftshader.so";

/**
 * The SHA-256 of the driver in hexadecimal digits, by the version of the npm package. No other version is
 * loaded. The peer dependency in package.json names these. Tests compare both, and the sum with the installed
 * package's.
 */
export const driverSums: Readonly<Record<string, string>> = {
  "143.0.4": "55571f337145a70e32bb64f07ceb413796cc7e9dc1ecac2144728777faf75c8c",
};
