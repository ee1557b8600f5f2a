// What the archives and headers of a newer glibc ask for, for a program that runs on glibc 2.28: see old_glibc.py.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef int Main(int, char**, char**);
int __real___libc_start_main(Main*, int, char**, void (*)(int, char**, char**), void (*)(void), void (*)(void), void*);
int __xstat(int, const char*, struct stat*);
int __lxstat(int, const char*, struct stat*);
int __fxstat(int, int, struct stat*);
int __fxstatat(int, int, const char*, struct stat*, int);

#pragma GCC visibility push(hidden)

#ifndef PARTITA_IS_LIBRARY  // whose constructors the loader runs
// Start files made for glibc 2.34 leave the constructors to it; older ones call what they are told here, and so do newer
// ones when they are told something.
extern void (*__preinit_array_start[])(int, char**, char**);
extern void (*__preinit_array_end[])(int, char**, char**);
extern void (*__init_array_start[])(int, char**, char**);
extern void (*__init_array_end[])(int, char**, char**);
extern void _init(void);

static void run_constructors(int count, char** words, char** environment) {
  for (size_t i = 0; i < (size_t)(__preinit_array_end - __preinit_array_start); ++i) {
    __preinit_array_start[i](count, words, environment);
  }
  _init();
  for (size_t i = 0; i < (size_t)(__init_array_end - __init_array_start); ++i) {
    __init_array_start[i](count, words, environment);
  }
}

int __wrap___libc_start_main(Main* run, int count, char** words, void (*init)(int, char**, char**), void (*fini)(void),
                             void (*loader_fini)(void), void* stack_end) {
  (void)init;
  return __real___libc_start_main(run, count, words, run_constructors, fini, loader_fini, stack_end);
}
#endif

// libstdc++ spares atomic operations where this is true, which it never is for long.
char __libc_single_threaded = 0;

pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

// Until 2.33 these were in an archive, which called the ones below.
#ifdef __x86_64__
enum { kStatVersion = 1 };
#else
enum { kStatVersion = 0 };
#endif
int stat(const char* path, struct stat* into) { return __xstat(kStatVersion, path, into); }
int lstat(const char* path, struct stat* into) { return __lxstat(kStatVersion, path, into); }
int fstat(int file, struct stat* into) { return __fxstat(kStatVersion, file, into); }
int fstatat(int folder, const char* path, struct stat* into, int flags) {
  return __fxstatat(kStatVersion, folder, path, into, flags);
}
int stat64(const char* path, struct stat64* into) { return stat(path, (struct stat*)into); }
int lstat64(const char* path, struct stat64* into) { return lstat(path, (struct stat*)into); }
int fstat64(int file, struct stat64* into) { return fstat(file, (struct stat*)into); }
int fstatat64(int folder, const char* path, struct stat64* into, int flags) {
  return fstatat(folder, path, (struct stat*)into, flags);
}

// The deadline by the clock that older functions have. A clock that is set while they wait moves it; the callers look at
// their own clock when they are woken.
static struct timespec on_real_clock(clockid_t clock, const struct timespec* deadline) {
  if (clock == CLOCK_REALTIME) return *deadline;
  struct timespec now, real;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  const int64_t second = 1000000000;
  int64_t left = (deadline->tv_sec - now.tv_sec) * second + (deadline->tv_nsec - now.tv_nsec);
  if (left < 0) left = 0;
  const int64_t nanoseconds = real.tv_nsec + left % second;
  return (struct timespec){real.tv_sec + left / second + nanoseconds / second, nanoseconds % second};
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* deadline) {
  const struct timespec real = on_real_clock(clock, deadline);
  return pthread_cond_timedwait(condition, mutex, &real);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const struct timespec* deadline) {
  const struct timespec real = on_real_clock(clock, deadline);
  return sem_timedwait(semaphore, &real);
}

uint32_t arc4random(void) {
  uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
    if (errno != EINTR) abort();
  }
  return number;
}

// Where the unwinder finds the tables of an address.
struct Search {
  uintptr_t address;
  struct dl_find_object* found;
};

static int is_in(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  const struct Search* search = data;
  int holds = 0;
  void* tables = NULL;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && search->address - start < part->p_memsz) {
      holds = 1;
      search->found->dlfo_map_start = (void*)start;
      search->found->dlfo_map_end = (void*)(start + part->p_memsz);
    }
    if (part->p_type == PT_GNU_EH_FRAME) tables = (void*)start;
  }
  if (!holds || tables == NULL) return 0;
  search->found->dlfo_eh_frame = tables;
  return 1;
}

int _dl_find_object(void* address, struct dl_find_object* found) {
  struct Search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(is_in, &search) == 1 ? 0 : -1;
}
