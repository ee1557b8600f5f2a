// How a store in a directory is opened.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace rocksdb {
class FileSystem;
}

namespace partita {

// The format of new stores, and the newest that can be opened.
inline constexpr unsigned kRocksdbFormat = 1;

struct RocksdbOptions {
  // Created with its parents if it does not exist.
  std::string directory;
  // Off: a commit is acknowledged once the operating system has it; a power failure may lose the newest commits.
  bool sync = true;
  // Memory for caches: three quarters for blocks, one for single records, allocated as needed. Open tables use about
  // three bytes for each record in addition.
  size_t block_cache_bytes = size_t{256} << 20;
  // Bytes of changes that may be queued; further transactions wait before they are evaluated. (A larger single
  // transaction is accepted when nothing else is queued.)
  size_t queue_bytes = size_t{32} << 20;
  // Off: tables are not compacted, for read-only use.
  bool compacts = true;
  // The file system for RocksDB's files; null: the operating system's. For tests of failing disks.
  std::shared_ptr<rocksdb::FileSystem> files;
};

}  // namespace partita
