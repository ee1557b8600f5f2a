// Table files from which a serving thread reads only what the system has in memory.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>
#include <string>

namespace partita::rocks {

// While one exists, reads of table files by this thread end Incomplete instead of waiting for the disk, and so does
// opening a table.
class MemoryOnlyReads {
 public:
  explicit MemoryOnlyReads(bool hurries = true) : before_(active_) { active_ = hurries; }
  ~MemoryOnlyReads() { active_ = before_; }
  MemoryOnlyReads(const MemoryOnlyReads&) = delete;
  MemoryOnlyReads& operator=(const MemoryOnlyReads&) = delete;

  static bool active() { return active_; }
  static rocksdb::IOStatus would_wait();

 private:
  static constinit thread_local bool active_;
  const bool before_;
};

// `file`, which then obeys MemoryOnlyReads. `of_the_system`: it is a file of the operating system; nothing of other
// files counts as being in memory.
std::unique_ptr<rocksdb::FSRandomAccessFile> make_table_file(std::unique_ptr<rocksdb::FSRandomAccessFile> file,
                                                             const std::string& path, bool of_the_system);

}  // namespace partita::rocks
