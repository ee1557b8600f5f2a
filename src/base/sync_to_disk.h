// Makes what was written to a file survive a loss of power.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace partita {

// A file or a directory, with its times and its mode. False: it may not survive, errno says why.
inline bool sync_to_disk(int descriptor) {
#if defined(__APPLE__)
  // fsync() of macOS leaves the data in the cache of the drive. Some file systems offer no more.
  if (fcntl(descriptor, F_FULLFSYNC) == 0) return true;
  if (errno != ENOTSUP && errno != ENOTTY && errno != EINVAL) return false;
#endif
  return fsync(descriptor) == 0;
}

// The same of the contents alone, which may take less.
inline bool sync_data_to_disk(int descriptor) {
#if defined(__linux__)
  return fdatasync(descriptor) == 0;
#else
  return sync_to_disk(descriptor);
#endif
}

}  // namespace partita
