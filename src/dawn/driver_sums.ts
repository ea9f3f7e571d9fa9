/** The files of the embedded driver that are needed. The package's archive has others besides. */
export const driverFileNames = ["libvk_swiftshader.so", "libvulkan.so.1", "vk_swiftshader_icd.json"] as const;

/** The SHA-256 of each file of the driver, in hexadecimal digits. */
export type DriverSums = Readonly<Record<(typeof driverFileNames)[number], string>>;

/** The sums by the version of the npm package. A test compares them with the package that is installed. */
export const driverSums: Readonly<Record<string, DriverSums>> = {
  "143.0.4": {
    "libvk_swiftshader.so": "55571f337145a70e32bb64f07ceb413796cc7e9dc1ecac2144728777faf75c8c",
    "libvulkan.so.1": "858e4d3fd0fc5d1409f9c9c076e7611c0967459bab153c5cb4ec81124a24e53c",
    "vk_swiftshader_icd.json": "c9eef28b6b984fec220ef0abfecc40b502d46946706e47bfe97707027cb818bd",
  },
};
