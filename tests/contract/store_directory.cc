#include "store_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

#include "engines/rocksdb/rocksdb_engine.h"

namespace partita::contract {

namespace fs = std::filesystem;

Result<std::unique_ptr<storage::Engine>> open_store(const fs::path& directory) {
  RocksdbOptions options;
  options.directory = directory.string();
  options.block_cache_bytes = size_t{8} << 20;
  return open_rocksdb_engine(options);
}

namespace {

// False when a file went away in the meantime.
bool copy_files(const fs::path& from, const fs::path& to) {
  fs::remove_all(to);
  fs::create_directories(to);
  for (const auto& entry : fs::directory_iterator(from)) {
    if (entry.path().filename() == "LOCK") continue;
    std::error_code failed;
    fs::copy_file(entry.path(), to / entry.path().filename(), failed);
    if (failed == std::errc::no_such_file_or_directory) return false;
    EXPECT_FALSE(failed) << entry.path() << ": " << failed.message();
  }
  return true;
}

}  // namespace

void copy_store(const fs::path& from, const fs::path& to) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    if (copy_files(from, to)) return;
  }
  ADD_FAILURE() << from << " does not keep its files for the time of a copy";
}

std::vector<fs::path> files_of(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().filename() != "LOCK" && fs::file_size(entry.path()) > 0) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

fs::path newest_log(const fs::path& directory) {
  fs::path newest;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const bool used = entry.path().extension() == ".log" && entry.file_size() > 0;
    if (used && entry.path().filename() > newest.filename()) newest = entry.path();
  }
  return newest;
}

rocks::DurabilityRecord witness_of(const fs::path& store) {
  rocks::DurabilityRecord record;
  EXPECT_EQ(rocks::DurabilityMarker(store).load(record).value(), rocks::DurabilityMarker::Found::kWhole);
  return record;
}

void change_bytes(const fs::path& file, uint64_t at, uint64_t bytes, const std::function<char(char)>& change) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  std::string old(bytes, '\0');
  stream.seekg(static_cast<std::streamoff>(at));
  stream.read(old.data(), static_cast<std::streamsize>(bytes));
  for (char& c : old) c = change(c);
  stream.clear();
  stream.seekp(static_cast<std::streamoff>(at));
  stream.write(old.data(), static_cast<std::streamsize>(bytes));
}

}  // namespace partita::contract
