/**
 * The Chromium of the development dependencies unpacks itself to a file that all its users share. Two test
 * files that do so at the same time may start a file that is being written. So it is unpacked before.
 */
export async function setup(): Promise<void> {
  const packaged = await import("@sparticuz/chromium").catch(() => undefined);
  await packaged?.default.executablePath().catch(() => {});
}
