/**
 * Runs a command in mounts of its own, in which files are hidden: its first argument says how many of the next
 * ones are files, and the rest is the command. It replaces itself by the command.
 */
const HIDE = [
  'n=$1; shift; while [ "$n" -gt 0 ]; do',
  'mount -n --bind /dev/null "$1" || exit; shift; n=$((n - 1));',
  'done; exec "$@"',
].join(" ");

/** Who runs a command. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The words before a command that make it see none of some files, for it and all that it starts: each is
 * /dev/null to it. What they start replaces itself, so the command is the process that they were started as;
 * and it is killed when the process that started it ends. They need util-linux 2.36.
 *
 * @param files the paths of the files.
 * @param user the user, who makes a user namespace, to be allowed to mount, and another one within it, to have
 *   the same numbers again; undefined for root, who needs none.
 */
export function hiding(files: readonly string[], user?: User): string[] {
  const toMount = user ? ["--user", "--map-root-user"] : [];
  const asBefore = user
    ? ["unshare", "--user", `--map-user=${user.uid}`, `--map-group=${user.gid}`, "--"]
    : [];
  return [
    ...[
      "unshare",
      ...toMount,
      "--mount",
      "--propagation",
      "slave",
      "--",
      "sh",
      "-c",
      HIDE,
      "hide",
      String(files.length),
      ...files,
    ],
    ...asBefore,
    "setpriv",
    "--pdeathsig",
    "KILL",
    "--",
  ];
}
