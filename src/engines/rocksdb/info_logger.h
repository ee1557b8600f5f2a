// RocksDB's log without a log file: on a full disk RocksDB could not write it, and would abort.
#pragma once

#include <rocksdb/env.h>

#include <memory>

namespace partita::rocks {

// Writes RocksDB's warnings and errors to the server's log, and drops everything else.
std::shared_ptr<rocksdb::Logger> make_info_logger();

}  // namespace partita::rocks
