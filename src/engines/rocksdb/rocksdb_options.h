// How a store in a directory is opened.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace rocksdb {
class FileSystem;
}

namespace partita {

// Of the stores that it makes, and the newest that it opens.
inline constexpr unsigned kRocksdbFormat = 1;

struct RocksdbOptions {
  // Made if it is not there, with the directories above it.
  std::string directory;
  // Off: a commit is acknowledged once the operating system has it; losing power may lose the newest commits.
  bool sync = true;
  // Memory for what was read: three parts for blocks, one for single records. Taken as it is needed. Beside it, the
  // open tables take about three bytes for each record.
  size_t block_cache_bytes = size_t{256} << 20;
  // How many bytes of changes may wait for the disk; who comes then waits before evaluating. (One transaction that is
  // larger is taken when nothing else waits.)
  size_t queue_bytes = size_t{32} << 20;
  // Off: tables stay as they are, for who only looks.
  bool compacts = true;
  // What RocksDB keeps its files on; null: the operating system's. For tests that let a disk fail.
  std::shared_ptr<rocksdb::FileSystem> files;
};

}  // namespace partita
