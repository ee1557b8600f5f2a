#include "app/resident_pages.h"

#if defined(__linux__)
#include <link.h>
#include <malloc.h>
#endif
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace partita::app {

#if defined(__linux__)

namespace {

bool is_traced() {
  std::FILE* const file = std::fopen("/proc/self/status", "re");
  if (file == nullptr) return true;
  char line[128];
  int tracer = 0;
  while (std::fgets(line, sizeof line, file) != nullptr && std::sscanf(line, "TracerPid: %d", &tracer) != 1) {
  }
  std::fclose(file);
  return tracer != 0;
}

// Only what is the same as in its file: nothing was ever written there.
int release(dl_phdr_info* object, size_t, void*) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
    const uintptr_t begin = (object->dlpi_addr + part.p_vaddr) & ~(page - 1);
    const uintptr_t end = object->dlpi_addr + part.p_vaddr + part.p_filesz;
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
  return 0;
}

}  // namespace

void release_start_pages() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  if (!is_traced()) dl_iterate_phdr(release, nullptr);
}

#else

void release_start_pages() {}

#endif

}  // namespace partita::app
