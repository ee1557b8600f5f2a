#include <gtest/gtest.h>

#include <string>

#include "storage/engine.h"

namespace partita::storage {
namespace {

TEST(Page, HoldsEachRowAndItsBytesWhileItGrows) {
  Page page;
  size_t bytes = 0;
  for (size_t n = 0; n < 1'000; ++n) {
    const std::string key = "key" + std::to_string(n);
    const std::string value(n % 7, 'v');
    page.append(key, value, Version{n});
    bytes += key.size() + value.size();
    ASSERT_EQ(page.bytes(), bytes) << n;
  }
  ASSERT_EQ(page.size(), 1'000U);
  for (size_t n = 0; n < page.size(); ++n) {
    EXPECT_EQ(page[n].key, "key" + std::to_string(n));
    EXPECT_EQ(page[n].value, std::string(n % 7, 'v'));
    EXPECT_EQ(page[n].version, Version{n});
  }
}

}  // namespace
}  // namespace partita::storage
