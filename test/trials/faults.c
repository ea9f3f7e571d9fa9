/*
 * Makes the system calls of a process fail as disks do. It is loaded by LD_PRELOAD, and reads what to do from
 * the environment:
 *
 *   FAULT_PATH   only calls on paths that contain this text; a "$" at its end stands for the end of the path
 *   FAULT_CALL   only calls of this kind: open, read, write, sync, truncate, rename, link, unlink, close, stat, mode;
 *                "any" for all of them
 *   FAULT_FROM   the first call to fail, counted from 0 (default 0)
 *   FAULT_TIMES  how many calls fail (default 1; 0 for all that follow)
 *   FAULT_DO     error:ERRNO     the call does nothing and fails
 *                late:ERRNO      the call is made, and fails all the same
 *                short:BYTES     a read or a write moves at most so many bytes
 *                room:BYTES      the file holds no more bytes than that, as on a full disk
 *                flip:BIT        a write changes this bit of the byte in the middle, and succeeds
 *                kill-before, kill-after   the process is killed by SIGKILL
 *                term            the process gets SIGTERM 0.1 s before the call; its own end by a signal, which
 *                                may come sooner, waits for 0.3 s
 *                count           nothing
 *   FAULT_LOG    a line is appended to this file for every call that matches: "seen" or "hit"
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum action { COUNT, ERROR, LATE, SHORT, ROOM, FLIP, KILL_BEFORE, KILL_AFTER, TERM };

static const char *path_part, *call_name;
static int log_fd = -1;
static long first_call, call_count, argument;
static enum action action;
static atomic_long calls;

static long (*real_syscall)(long, ...);
#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

static long number(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text ? strtol(text, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void prepare(void) {
  static const char *names[] = {"count", "error:", "late:", "short:", "room:", "flip:", "kill-before", "kill-after", "term"};
  real_syscall = (long (*)(long, ...))real("syscall");
  path_part = getenv("FAULT_PATH");
  call_name = getenv("FAULT_CALL");
  first_call = number("FAULT_FROM", 0);
  call_count = number("FAULT_TIMES", 1);
  const char *what = getenv("FAULT_DO");
  for (int i = 0; what && i < 9; i++) {
    size_t length = strlen(names[i]);
    if (strncmp(what, names[i], length)) continue;
    action = i;
    argument = strtol(what + length, NULL, 10);
  }
  const char *log = getenv("FAULT_LOG");
  if (log) log_fd = real_syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* The path from the root, without "/." at its end. */
static void absolute(const char *path, char *whole, size_t size) {
  char folder[PATH_MAX] = "";
  if (*path != '/') getcwd(folder, sizeof folder);
  snprintf(whole, size, *path == '/' ? "%s%s" : "%s/%s", folder, path);
  size_t length = strlen(whole);
  if (length > 2 && !strcmp(whole + length - 2, "/.")) whole[length - 2] = 0;
}

static int path_matches(const char *path) {
  size_t wanted = strlen(path_part), length = strlen(path);
  if (wanted == 0 || path_part[wanted - 1] != '$') return strstr(path, path_part) != NULL;
  wanted--;
  return length >= wanted && !memcmp(path + length - wanted, path_part, wanted);
}

static int call_matches(const char *call) {
  return path_part && call_name && (!strcmp(call_name, "any") || !strcmp(call, call_name));
}

/* Whether a call on this path fails. Counts the calls that match. */
static int hits_path(const char *call, const char *given) {
  if (!call_matches(call) || !given) return 0;
  int saved = errno;
  char path[2 * PATH_MAX];
  absolute(given, path, sizeof path);
  errno = saved;
  if (!path_matches(path)) return 0;
  long n = atomic_fetch_add(&calls, 1);
  int hit = action != COUNT && n >= first_call && (call_count == 0 || n < first_call + call_count);
  char line[2 * PATH_MAX + 64];
  int length = snprintf(line, sizeof line, "%s %s %ld %s\n", hit ? "hit" : "seen", call, n, path);
  if (log_fd >= 0) real_syscall(SYS_write, log_fd, line, length);
  errno = saved;
  return hit;
}

static int hits(const char *call, int fd) {
  if (!call_matches(call)) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = real_syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return hits_path(call, path);
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static void terminate(void) {
  REAL(kill)(getpid(), SIGTERM);
  usleep(100000);
}

int kill(pid_t process, int signal) {
  if (action == TERM && process == getpid()) usleep(300000);
  return REAL(kill)(process, signal);
}

/* A call that moves no bytes. */
#define FAIL_OR(hit, call)                                     \
  do {                                                         \
    if (!(hit)) return call;                                   \
    if (action == KILL_BEFORE) die();                          \
    if (action == TERM) terminate();                           \
    if (action == ERROR) return errno = argument, -1;          \
    __typeof__(call) done = call;                              \
    if (action == KILL_AFTER) die();                           \
    if (action == LATE) return errno = argument, -1;           \
    return done;                                               \
  } while (0)

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int mode = va_arg(rest, int);
  va_end(rest);
  FAIL_OR(hits_path("open", path), REAL(open64)(path, flags, mode));
}
int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int mode = va_arg(rest, int);
  va_end(rest);
  FAIL_OR(hits_path("open", path), REAL(open)(path, flags, mode));
}
int fsync(int fd) { FAIL_OR(hits("sync", fd), REAL(fsync)(fd)); }
int fdatasync(int fd) { FAIL_OR(hits("sync", fd), REAL(fdatasync)(fd)); }
int ftruncate64(int fd, off64_t length) { FAIL_OR(hits("truncate", fd), REAL(ftruncate64)(fd, length)); }
int rename(const char *from, const char *to) { FAIL_OR(hits_path("rename", from), REAL(rename)(from, to)); }
int link(const char *from, const char *to) { FAIL_OR(hits_path("link", from), REAL(link)(from, to)); }
int unlink(const char *path) { FAIL_OR(hits_path("unlink", path), REAL(unlink)(path)); }
int fchmod(int fd, mode_t mode) { FAIL_OR(hits("mode", fd), REAL(fchmod)(fd, mode)); }
int fchown(int fd, uid_t user, gid_t group) { FAIL_OR(hits("mode", fd), REAL(fchown)(fd, user, group)); }
/* Linux closes the descriptor even if close fails, so its error comes after the call. */
static long close_with(int fd) {
  int hit = hits("close", fd);
  if (hit && action == KILL_BEFORE) die();
  long done = real_syscall(SYS_close, fd);
  if (hit && action == KILL_AFTER) die();
  return hit && (action == ERROR || action == LATE) ? (errno = argument, -1) : done;
}
int close(int fd) { return close_with(fd); }

/* libuv calls close and statx by their numbers. */
long syscall(long id, ...) {
  va_list rest;
  va_start(rest, id);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
  va_end(rest);
  if (id == SYS_close) return close_with(a[0]);
  int hit = 0;
  if (id == SYS_statx) {
    const char *path = (const char *)a[1];
    hit = path && *path ? hits_path("stat", path) : hits("stat", a[0]);
  }
  FAIL_OR(hit, real_syscall(id, a[0], a[1], a[2], a[3], a[4], a[5]));
}

/* All reads and writes come here, as vectors; `offset` is -1 where the file's own position counts. */
static ssize_t move_bytes(int fd, const struct iovec *parts, int count, off64_t offset, int writes) {
  if (offset < 0) return writes ? REAL(writev)(fd, parts, count) : REAL(readv)(fd, parts, count);
  return writes ? REAL(pwritev64)(fd, parts, count, offset) : REAL(preadv64)(fd, parts, count, offset);
}

static ssize_t move_at_most(int fd, const struct iovec *parts, int count, off64_t offset, int writes, size_t most) {
  struct iovec *some = malloc(sizeof *some * (count ? count : 1));
  int used = 0;
  for (; used < count; used++) {
    some[used] = parts[used];
    if (some[used].iov_len > most) some[used].iov_len = most;
    most -= some[used].iov_len;
    if (most == 0) { used++; break; }
  }
  ssize_t moved = move_bytes(fd, some, used, offset, writes);
  int saved = errno;
  free(some);
  errno = saved;
  return moved;
}

static ssize_t write_flipped(int fd, const struct iovec *parts, int count, off64_t offset) {
  size_t length = 0, at = 0;
  for (int i = 0; i < count; i++) length += parts[i].iov_len;
  unsigned char *copy = malloc(length ? length : 1);
  for (int i = 0; i < count; at += parts[i++].iov_len) memcpy(copy + at, parts[i].iov_base, parts[i].iov_len);
  if (length) copy[length / 2] ^= 1u << (argument & 7);
  struct iovec whole = {copy, length};
  ssize_t moved = move_bytes(fd, &whole, 1, offset, 1);
  int saved = errno;
  free(copy);
  errno = saved;
  return moved;
}

static ssize_t faulty_move(int fd, const struct iovec *parts, int count, off64_t offset, int writes) {
  if (!hits(writes ? "write" : "read", fd)) return move_bytes(fd, parts, count, offset, writes);
  if (action == KILL_BEFORE) die();
  if (action == ERROR) return errno = argument, -1;
  if (action == SHORT) return move_at_most(fd, parts, count, offset, writes, argument);
  if (action == ROOM) {
    off64_t at = offset < 0 ? lseek64(fd, 0, SEEK_CUR) : offset;
    if (at >= argument) return errno = ENOSPC, -1;
    return move_at_most(fd, parts, count, offset, writes, argument - at);
  }
  if (action == FLIP && writes) return write_flipped(fd, parts, count, offset);
  ssize_t moved = move_bytes(fd, parts, count, offset, writes);
  if (action == KILL_AFTER) die();
  return action == LATE ? (errno = argument, -1) : moved;
}

static ssize_t faulty_move_one(int fd, void *bytes, size_t length, off64_t offset, int writes) {
  struct iovec whole = {bytes, length};
  return faulty_move(fd, &whole, 1, offset, writes);
}

ssize_t read(int fd, void *into, size_t length) { return faulty_move_one(fd, into, length, -1, 0); }
ssize_t write(int fd, const void *from, size_t length) { return faulty_move_one(fd, (void *)from, length, -1, 1); }
ssize_t pread64(int fd, void *into, size_t length, off64_t at) { return faulty_move_one(fd, into, length, at, 0); }
ssize_t pwrite64(int fd, const void *from, size_t length, off64_t at) {
  return faulty_move_one(fd, (void *)from, length, at, 1);
}
ssize_t readv(int fd, const struct iovec *parts, int count) { return faulty_move(fd, parts, count, -1, 0); }
ssize_t writev(int fd, const struct iovec *parts, int count) { return faulty_move(fd, parts, count, -1, 1); }
ssize_t preadv64(int fd, const struct iovec *parts, int count, off64_t at) {
  return faulty_move(fd, parts, count, at, 0);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  return faulty_move(fd, parts, count, at, 1);
}
