// The file of a table, of which a thread that serves reads only what the system has in memory.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>
#include <string>

namespace partita::rocks {

// While one lives, what this thread would read from tables ends Incomplete instead of waiting for the disk, and so does
// opening one.
class Hurry {
 public:
  explicit Hurry(bool hurries = true) : before_(hurries_) { hurries_ = hurries; }
  ~Hurry() { hurries_ = before_; }
  Hurry(const Hurry&) = delete;
  Hurry& operator=(const Hurry&) = delete;

  static bool now() { return hurries_; }
  static rocksdb::IOStatus would_wait();

 private:
  static constinit thread_local bool hurries_;
  const bool before_;
};

// What `file` is, read as Hurry demands. Of files that are not the system's own nothing is taken to be in memory.
std::unique_ptr<rocksdb::FSRandomAccessFile> make_table_file(std::unique_ptr<rocksdb::FSRandomAccessFile> file,
                                                             const std::string& path, bool of_the_system);

}  // namespace partita::rocks
