// A store in a directory of its own, as tests of what only a store on a disk can get wrong open it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "contract.h"
#include "engines/rocksdb/rocksdb_engine.h"
#include "faulty_files.h"

namespace partita::contract {

class RocksdbStore : public testing::Test {
 protected:
  std::string path() const { return (directory_.path() / "store").string(); }

  using Files = std::shared_ptr<FaultyFiles>;
  Result<std::unique_ptr<storage::Engine>> try_open(size_t cache_bytes = size_t{8} << 20,
                                                    const Files& files = nullptr) {
    RocksdbOptions options;
    options.directory = path();
    options.block_cache_bytes = cache_bytes;
    options.files = files;
    return open_rocksdb_engine(options);
  }
  std::unique_ptr<storage::Engine> open(size_t cache_bytes = size_t{8} << 20, const Files& files = nullptr) {
    auto engine = try_open(cache_bytes, files);
    EXPECT_TRUE(engine.ok()) << engine.error().sentence();
    return std::move(engine).value();
  }
  void expect_refused(ErrorKind kind, std::string_view part) {
    const auto engine = try_open();
    ASSERT_FALSE(engine.ok());
    EXPECT_EQ(engine.error().kind(), kind) << engine.error().sentence();
    EXPECT_NE(engine.error().sentence().find(part), std::string_view::npos) << engine.error().sentence();
  }
  std::vector<std::filesystem::path> files(std::string_view part) {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(path())) {
      if (entry.path().filename().string().find(part) != std::string::npos) found.push_back(entry.path());
    }
    return found;
  }
  // Enough that closing the store writes it into table files.
  static std::string big_name(int i) { return "big" + std::to_string(i); }
  static void fill(storage::Engine& engine) {
    const std::string value(100'000, 'v');
    for (int i = 0; i < 150; ++i) put(engine, big_name(i), value + std::to_string(i));
  }

  TempDirectory directory_;
};

}  // namespace partita::contract
