#include "auth/statement_index.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace partita::auth {
namespace {

using Texts = std::vector<std::string_view>;

std::set<uint32_t> found(const StatementIndex& index, std::string_view action, std::string_view resource) {
  std::set<uint32_t> all;
  index.visit(action, resource, [&](uint32_t statement) {
    all.insert(statement);
    return true;
  });
  return all;
}

TEST(StatementIndexTest, FindsThoseThatMayBeAboutIt) {
  StatementIndex index;
  index.add(0, Texts{"d:Get", "d:Query"}, Texts{"T", "U"});
  index.add(1, Texts{"d:get", "D:GET"}, {});
  index.add(2, {}, Texts{"T"});
  index.add(3, {}, {});
  index.add(4, Texts{"d:Put"}, Texts{""});
  index.finish();
  EXPECT_EQ(found(index, "d:Get", "T"), (std::set<uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(found(index, "d:gEt", "U"), (std::set<uint32_t>{0, 1, 3}));
  EXPECT_EQ(found(index, "d:Query", "U"), (std::set<uint32_t>{0, 3}));
  EXPECT_EQ(found(index, "d:Scan", "T"), (std::set<uint32_t>{2, 3}));
  EXPECT_EQ(found(index, "d:Put", ""), (std::set<uint32_t>{3, 4}));
  EXPECT_EQ(found(index, "", "T/index/I"), (std::set<uint32_t>{3}));
}

TEST(StatementIndexTest, ManyNamesOfOneStatementAreStillFound) {
  std::vector<std::string> names;
  for (int i = 0; i < 300; ++i) names.push_back("name-of-" + std::to_string(i));
  const Texts texts(names.begin(), names.end());
  StatementIndex index;
  index.add(0, texts, texts);
  index.add(1, {}, texts);
  index.finish();
  EXPECT_EQ(found(index, names[299], names[298]), (std::set<uint32_t>{0, 1}));
  EXPECT_EQ(found(index, "other", names[7]), (std::set<uint32_t>{1}));
  EXPECT_EQ(found(index, "other", "other"), std::set<uint32_t>());
}

TEST(StatementIndexTest, EndsWhenItIsTold) {
  StatementIndex index;
  for (uint32_t i = 0; i < 9; ++i) index.add(i, i % 2 == 0 ? Texts{"a"} : Texts{}, Texts{});
  index.finish();
  int visited = 0;
  index.visit("a", "r", [&](uint32_t) { return ++visited < 7; });
  EXPECT_EQ(visited, 7);
}

}  // namespace
}  // namespace partita::auth
