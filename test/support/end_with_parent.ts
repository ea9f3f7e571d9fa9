/**
 * Vitest's main process may be killed. Its workers then lose their channel, and must not go on by themselves. A
 * worker that runs several files comes here once for each.
 */
if (process.listenerCount("disconnect") === 0) process.once("disconnect", () => process.exit(1));
