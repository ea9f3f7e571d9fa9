/** A file without tests. */
export {};
