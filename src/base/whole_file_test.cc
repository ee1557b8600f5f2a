#include "base/whole_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace partita {
namespace {

namespace fs = std::filesystem;

class WholeFile : public testing::Test {
 protected:
  WholeFile() {
    std::string name = testing::TempDir() + "whole-file-XXXXXX";
    place_ = mkdtemp(name.data());
  }
  ~WholeFile() override { fs::remove_all(place_); }

  fs::path place_;
};

TEST_F(WholeFile, IsReadWhateverItHolds) {
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{4096}, size_t{4097}, size_t{50'000}}) {
    std::string written(bytes, 'x');
    if (bytes > 2) written[1] = '\0', written[2] = '\n';
    std::ofstream(place_ / "file", std::ios::binary) << written;
    EXPECT_EQ(read_whole_file(place_ / "file").value(), written);
  }
}

TEST_F(WholeFile, ThatCanNotBeReadIsNamedWithTheReason) {
  EXPECT_EQ(read_whole_file(place_).error().sentence(),
            "The file " + place_.string() + " cannot be read: Is a directory.");
  const auto missing = read_whole_file(place_ / "none", "The key in");
  EXPECT_EQ(missing.error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(missing.error().sentence(),
            "The key in " + (place_ / "none").string() + " cannot be read: No such file or directory.");
}

TEST_F(WholeFile, HasABoundAndIsNoPipe) {
  std::ofstream(place_ / "file", std::ios::binary) << std::string(10'000, 'x');
  EXPECT_EQ(read_regular_file(place_ / "file", 10'000).value().size(), 10'000U);
  EXPECT_EQ(read_regular_file(place_ / "file", 9'999).error().sentence(),
            "The file " + (place_ / "file").string() + " cannot be read: It has more than 9999 bytes.");
  ASSERT_EQ(mkfifo((place_ / "pipe").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", place_ / "zero");
  for (const char* name : {"pipe", "zero"}) {
    const auto refused = read_regular_file(place_ / name, 10'000, "The key in");
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_EQ(refused.error().sentence(),
              "The key in " + (place_ / name).string() + " cannot be read: It is no regular file.");
  }
  EXPECT_FALSE(read_regular_file(place_, 10'000).ok());
  EXPECT_FALSE(read_regular_file(place_ / "none", 10'000).ok());
}

}  // namespace
}  // namespace partita
