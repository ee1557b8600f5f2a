#include "base/canonical_path.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

namespace fs = std::filesystem;

TEST(WholePath, IsTheSameByWhateverNameAndWhetherThereOrNot) {
  const fs::path place = fs::canonical(testing::TempDir()) / "whole path";
  fs::remove_all(place);
  fs::create_directories(place / "real");
  fs::create_directory_symlink(place / "real", place / "link");
  const std::string real = (place / "real").string();
  EXPECT_EQ(canonical_path(real), real);
  EXPECT_EQ(canonical_path(place / "link"), real);
  EXPECT_EQ(canonical_path(place / "link/../link/./none/b"), real + "/none/b");
  const fs::path before = fs::current_path();
  fs::current_path(place);
  EXPECT_EQ(canonical_path("link/none"), real + "/none");
  EXPECT_EQ(canonical_path("none/x"), (place / "none/x").string());
  fs::current_path(before);
  fs::remove_all(place);
}

}  // namespace
}  // namespace partita
