// RocksDB's own notes, without a file of their own: on a full disk RocksDB could not write them, and aborts.
#pragma once

#include <rocksdb/env.h>

#include <memory>

namespace partita::rocks {

// Writes what RocksDB warns of as the server's own log lines, and drops the rest.
std::shared_ptr<rocksdb::Logger> make_info_logger();

}  // namespace partita::rocks
