// Preloaded into a server: $MOVED_CLOCK is a file of two 64-bit numbers, the seconds that are added to the time of day
// and to the monotonic clock. They may be changed while it runs.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t* moved;

__attribute__((constructor)) static void open_file(void) {
  const char* path = getenv("MOVED_CLOCK");
  const int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void* mapped = mmap(NULL, 2 * sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
  if (mapped != MAP_FAILED) moved = mapped;
  close(fd);
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  const long result = syscall(SYS_clock_gettime, clock, time);
  if (result != 0 || moved == NULL) return (int)result;
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) time->tv_sec += moved[0];
  if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE) time->tv_sec += moved[1];
  return 0;
}
