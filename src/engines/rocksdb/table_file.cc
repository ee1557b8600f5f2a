#include "engines/rocksdb/table_file.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <utility>

namespace partita::rocks {

using namespace rocksdb;

namespace {

// Whether the system has all of it in memory. Only Linux says so; elsewhere a thread that may wait reads instead.
bool read_without_waiting([[maybe_unused]] int fd, [[maybe_unused]] char* into, [[maybe_unused]] size_t bytes,
                          [[maybe_unused]] uint64_t offset) {
#if defined(__linux__)
  const iovec where{.iov_base = into, .iov_len = bytes};
  return preadv2(fd, &where, 1, static_cast<off_t>(offset), RWF_NOWAIT) == static_cast<ssize_t>(bytes);
#else
  return false;
#endif
}

class TableFile final : public FSRandomAccessFileOwnerWrapper {
 public:
  TableFile(std::unique_ptr<FSRandomAccessFile>&& file, int fd)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), fd_(fd) {}
  ~TableFile() override {
    if (fd_ >= 0) close(fd_);
  }

  IOStatus Read(uint64_t offset, size_t bytes, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) const override {
    if (!MemoryOnlyReads::active()) return target()->Read(offset, bytes, options, result, scratch, debug);
    const bool whole = read_without_waiting(fd_, scratch, bytes, offset);
    *result = Slice(scratch, whole ? bytes : 0);
    return whole ? IOStatus::OK() : MemoryOnlyReads::would_wait();
  }
  IOStatus MultiRead(FSReadRequest* requests, size_t count, const IOOptions& options, IODebugContext* debug) override {
    if (MemoryOnlyReads::active()) return FSRandomAccessFile::MultiRead(requests, count, options, debug);
    return target()->MultiRead(requests, count, options, debug);
  }
  // The system may wait for its own records of where the file is.
  IOStatus Prefetch(uint64_t offset, size_t bytes, const IOOptions& options, IODebugContext* debug) override {
    return MemoryOnlyReads::active() ? IOStatus::OK() : target()->Prefetch(offset, bytes, options, debug);
  }

 private:
  const int fd_;  // one of our own, as RocksDB keeps its to itself; -1: none
};

}  // namespace

constinit thread_local bool MemoryOnlyReads::active_ = false;

IOStatus MemoryOnlyReads::would_wait() { return status_to_io_status(Status::Incomplete("not in memory")); }

std::unique_ptr<FSRandomAccessFile> make_table_file(std::unique_ptr<FSRandomAccessFile> file, const std::string& path,
                                                    bool of_the_system) {
  const int fd = of_the_system ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  return std::make_unique<TableFile>(std::move(file), fd);
}

}  // namespace partita::rocks
