// The file of a table, of which a thread that serves reads only what the system has in memory.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>
#include <string>

namespace partita::rocks {

// While one lives, what this thread would read from tables ends Incomplete instead of waiting for the disk, and so does
// opening one.
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

// What `file` is, read as Hurry demands. Of files that are not the system's own nothing is taken to be in memory.
std::unique_ptr<rocksdb::FSRandomAccessFile> make_table_file(std::unique_ptr<rocksdb::FSRandomAccessFile> file,
                                                             const std::string& path, bool of_the_system);

}  // namespace partita::rocks
