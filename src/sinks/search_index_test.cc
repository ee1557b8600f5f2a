#include "sinks/search_index.h"

#include <gtest/gtest.h>

#include <string>

namespace partita::sinks {
namespace {

SearchIndexes indexes_of(const DestinationSettings& settings) {
  auto indexes = SearchIndexes::create(settings);
  EXPECT_TRUE(indexes.ok());
  return *std::move(indexes);
}

DestinationSettings orders() {
  DestinationSettings settings;
  settings.table = "Orders";
  settings.sink = "Search";
  settings.id = "q7";
  return settings;
}

TEST(SearchIndexes, AreNamedAfterTheTableAndTheSink) {
  const SearchIndexes indexes = indexes_of(orders());
  EXPECT_EQ(indexes.alias(), "orders-search");
  EXPECT_EQ(indexes.index(7), "orders-search-q7-7");
  EXPECT_EQ(indexes.write_alias(7), "orders-search-q7-7-write");
  EXPECT_EQ(indexes.pattern(), "orders-search-q7-*");
  DestinationSettings settings = orders();
  settings.table = "__x";
  EXPECT_EQ(indexes_of(settings).alias(), "t__x-search");
  settings.index = "mine_1.x";
  EXPECT_EQ(indexes_of(settings).alias(), "mine_1.x");
}

TEST(SearchIndexes, AreNamedApartIfTheNamesAreLong) {
  DestinationSettings one = orders();
  DestinationSettings other = orders();
  one.table = std::string(254, 'x') + "1";
  other.table = std::string(254, 'x') + "2";
  EXPECT_EQ(indexes_of(one).alias().size(), 200U);
  EXPECT_NE(indexes_of(one).alias(), indexes_of(other).alias());
}

TEST(SearchIndexes, RefuseNamesThatNoIndexHas) {
  for (const std::string& wrong :
       {std::string("Upper"), std::string("a*"), std::string("a b"), std::string("-a"), std::string("_a"),
        std::string("."), std::string("a,b"), std::string("a/b"), std::string("\xc3\xa4"), std::string(201, 'x')}) {
    DestinationSettings settings = orders();
    settings.index = wrong;
    const auto refused = SearchIndexes::create(settings);
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
    EXPECT_TRUE(refused.error().sentence().ends_with(wrong));
  }
}

TEST(SearchIndexes, KnowTheirOwn) {
  const SearchIndexes indexes = indexes_of(orders());
  EXPECT_EQ(indexes.generation_of("orders-search-q7-18"), 18U);
  for (const char* other :
       {"orders-search-q7-", "orders-search-q7-1x", "orders-search-q71-1", "orders-search", "orders-search-q7-4-1"}) {
    EXPECT_EQ(indexes.generation_of(other), std::nullopt) << other;
    EXPECT_FALSE(indexes.is_own(other)) << other;
  }
  EXPECT_TRUE(indexes.is_own("orders-search-q7-18"));
  EXPECT_TRUE(indexes.is_own("orders-search-q7-18-write")) << "made by a delete";
  EXPECT_FALSE(indexes.is_own("orders-search-q7-write"));
}

TEST(SearchIndexes, AreMadeForTheModeAndTheEngine) {
  DestinationSettings settings = orders();
  EXPECT_EQ(indexes_of(settings).index_body(1, SearchEngine::kOpenSearch),
            R"({"aliases":{"orders-search-q7-1-write":{}},"settings":{"index.gc_deletes":"1h",)"
            R"("index.mapping.depth.limit":40,"index.mapping.ignore_malformed":true},"mappings":{"dynamic_templates":[)"
            R"({"partita_long":{"match_mapping_type":"long","mapping":{"type":"double"}}},)"
            R"({"partita_double":{"match_mapping_type":"double","mapping":{"type":"double"}}}],"date_detection":false,)"
            R"("_meta":{"partita":{"table":"Orders","sink":"Search","id":"q7"}}}})");
  settings.mode = DocumentMode::kFlat;
  const std::string flat = indexes_of(settings).index_body(1, SearchEngine::kOpenSearch);
  EXPECT_TRUE(flat.contains(R"("properties":{"item":{"type":"flat_object"},)")) << flat;
  EXPECT_TRUE(flat.contains(R"("unindexed":{"type":"object","enabled":false}})")) << flat;
  const std::string flattened = indexes_of(settings).index_body(1, SearchEngine::kElasticsearch);
  EXPECT_TRUE(flattened.contains(R"("item":{"type":"flattened","ignore_above":8000,"depth_limit":40})")) << flattened;
}

TEST(SearchIndexes, SwitchTheAliasInOneCall) {
  EXPECT_EQ(alias_switch_body("orders", "orders-3-2-2", {"old"}, {"orders-3-2-1"}),
            R"({"actions":[{"add":{"index":"orders-3-2-2","alias":"orders"}},)"
            R"({"remove":{"index":"old","alias":"orders"}},{"remove_index":{"index":"orders-3-2-1"}}]})");
}

TEST(SearchIndexes, KnowWhoMadeTheOthersBehindTheAlias) {
  const auto holders = read_alias_holders(
      R"({"a":{"settings":{},"mappings":{"_meta":{"partita":{"table":"Orders","sink":"Search","id":"q7"}}}},"b":{"settings":{}}})");
  ASSERT_TRUE(holders.ok());
  EXPECT_EQ(*holders, (AliasHolders{{"a", "q7"}, {"b", ""}}));
  EXPECT_FALSE(read_alias_holders("<html>").ok());
}

}  // namespace
}  // namespace partita::sinks
