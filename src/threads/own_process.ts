let isOwn = false;

/**
 * Says that this process is gpusort's own, as that of the command is. From then on gpusort may change what all
 * of a process shares: V8's flags, which can be neither read nor put back, and which no thread has of its own;
 * and the environment that drivers read. The library leaves both to its host. To be called before anything
 * else.
 */
export function ownProcess(): void {
  isOwn = true;
}

export function isOwnProcess(): boolean {
  return isOwn;
}
