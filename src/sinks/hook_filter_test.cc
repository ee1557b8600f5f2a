#include "sinks/hook_filter.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <span>

namespace partita::sinks {
namespace {

bool pattern_matches(std::string_view pattern, std::string_view event) {
  const auto parsed = EventPattern::parse(pattern);
  EXPECT_TRUE(parsed.ok()) << pattern << ": " << parsed.error().sentence();
  const auto document = wire::JsonDocument::parse(event);
  EXPECT_TRUE(document.ok()) << event;
  return parsed.ok() && document.ok() && parsed->matches(document->root());
}

struct PatternCase {
  const char* pattern;
  const char* event;
  bool matches;
};

void expect_matches(std::span<const PatternCase> cases) {
  for (const PatternCase& one : cases) {
    EXPECT_EQ(pattern_matches(one.pattern, one.event), one.matches) << one.pattern << " against " << one.event;
  }
}

TEST(EventPattern, MatchesValues) {
  const PatternCase kCases[] = {
      {R"({})", R"({"a":1})", true},
      {R"({"a":["x"]})", R"({"a":"x"})", true},
      {R"({"a":["x"]})", R"({"a":"X"})", false},
      {R"({"a":["x"]})", R"({"a":"xy"})", false},
      {R"({"a":["x"]})", R"({"b":"x"})", false},
      {R"({"a":["x","y"]})", R"({"a":"y"})", true},
      {R"({"a":["x"],"b":["y"]})", R"({"a":"x","b":"y"})", true},
      {R"({"a":["x"],"b":["y"]})", R"({"a":"x","b":"z"})", false},
      {R"({"a":{"b":["x"]}})", R"({"a":{"b":"x"}})", true},
      {R"({"a":{"b":["x"]}})", R"({"a":"x"})", false},
      {R"({"a":[""]})", R"({"a":""})", true},
      {R"({"a":[""]})", R"({"a":"x"})", false},
      {R"({"a":[null]})", R"({"a":null})", true},
      {R"({"a":[null]})", R"({"b":1})", false},
      {R"({"a":[null]})", R"({"a":""})", false},
      {R"({"a":[true]})", R"({"a":true})", true},
      {R"({"a":[true]})", R"({"a":false})", false},
      {R"({"a":[false]})", R"({"a":false})", true},
      {R"({"a":[5]})", R"({"a":5.0})", true},
      {R"({"a":[5]})", R"({"a":"5"})", false},
      {R"({"a":[{"prefix":"ab"}]})", R"({"a":"abc"})", true},
      {R"({"a":[{"prefix":"ab"}]})", R"({"a":"a"})", false},
      {R"({"a":[{"prefix":"ab"}]})", R"({"a":"ABC"})", false},
      {R"({"a":[{"prefix":{"equals-ignore-case":"ab"}}]})", R"({"a":"ABC"})", true},
      {R"({"a":[{"suffix":"bc"}]})", R"({"a":"abc"})", true},
      {R"({"a":[{"suffix":"bc"}]})", R"({"a":"bcd"})", false},
      {R"({"a":[{"equals-ignore-case":"aBc"}]})", R"({"a":"AbC"})", true},
      {R"({"a":[{"equals-ignore-case":"aBc"}]})", R"({"a":"abcd"})", false},
  };
  expect_matches(kCases);
}

TEST(EventPattern, MatchesByOperators) {
  const PatternCase kCases[] = {
      {R"({"a":[{"exists":true}]})", R"({"a":""})", true},
      {R"({"a":[{"exists":true}]})", R"({"a":{"b":1}})", false},
      {R"({"a":[{"exists":true}]})", R"({})", false},
      {R"({"a":[{"exists":false}]})", R"({})", true},
      {R"({"a":[{"exists":false}]})", R"({"a":1})", false},
      {R"({"a":{"b":[{"exists":false}]}})", R"({})", true},
      {R"({"a":{"b":[{"exists":false}]}})", R"({"a":{"b":1}})", false},
      {R"({"a":[{"numeric":["=",5]}]})", R"({"a":5})", true},
      {R"({"a":[{"numeric":[">",0,"<=",5]}]})", R"({"a":5})", true},
      {R"({"a":[{"numeric":[">",0,"<",5]}]})", R"({"a":5})", false},
      {R"({"a":[{"numeric":[">",0,"<",5]}]})", R"({"a":0})", false},
      {R"({"a":[{"numeric":[">=",-1.5]}]})", R"({"a":-1.5})", true},
      {R"({"a":[{"numeric":[">=",-1.5]}]})", R"({"a":-1.6})", false},
      {R"({"a":[{"numeric":["=",5]}]})", R"({"a":"5"})", false},
      {R"({"a":{"N":[{"numeric":[">",4]}]}})", R"({"a":{"N":"5"}})", true},
      {R"({"a":{"N":[{"numeric":[">",4]}]}})", R"({"a":{"N":"3.999"}})", false},
      {R"({"a":{"N":[5]}})", R"({"a":{"N":"5"}})", true},
      {R"({"a":{"N":["5"]}})", R"({"a":{"N":"5"}})", true},
      {R"({"a":{"NS":[{"numeric":[">",4]}]}})", R"({"a":{"NS":["1","5"]}})", true},
      {R"({"a":[{"anything-but":"x"}]})", R"({"a":"y"})", true},
      {R"({"a":[{"anything-but":"x"}]})", R"({"a":"x"})", false},
      {R"({"a":[{"anything-but":"x"}]})", R"({})", false},
      {R"({"a":[{"anything-but":["x","y"]}]})", R"({"a":"y"})", false},
      {R"({"a":[{"anything-but":[1,2]}]})", R"({"a":3})", true},
      {R"({"a":[{"anything-but":[1,2]}]})", R"({"a":2})", false},
      {R"({"a":[{"anything-but":{"prefix":"x"}}]})", R"({"a":"xy"})", false},
      {R"({"a":[{"anything-but":{"suffix":"x"}}]})", R"({"a":"xy"})", true},
      {R"({"$or":[{"a":["x"]},{"b":["y"]}]})", R"({"b":"y"})", true},
      {R"({"$or":[{"a":["x"]},{"b":["y"]}]})", R"({"b":"x"})", false},
      {R"({"c":["z"],"$or":[{"a":["x"]},{"b":["y"]}]})", R"({"b":"y"})", false},
      {R"({"a":["x"]})", R"({"a":["w","x"]})", true},
      {R"({"a":["x"]})", R"({"a":[]})", false},
      {R"({"L":{"S":["x"],"T":["y"]}})", R"({"L":[{"S":"x"},{"T":"y"}]})", false},
      {R"({"L":{"S":["x"],"T":["y"]}})", R"({"L":[{"S":"x","T":"y"}]})", true},
      {R"({"L":{"S":[{"exists":false}]}})", R"({"L":[]})", true},
  };
  expect_matches(kCases);
}

TEST(EventPattern, RefusesWhatItDoesNotKnow) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "JSON object"},
      {"[]", "JSON object"},
      {R"({"a":"x"})", "a has to be an array"},
      {R"({"a":[]})", "empty"},
      {R"({"a":[["x"]]})", "array in an array"},
      {R"({"a":[{"wildcard":"x*"}]})", "operator wildcard"},
      {R"({"a":[{"cidr":"10.0.0.0/8"}]})", "operator cidr"},
      {R"({"a":[{}]})", "one operator"},
      {R"({"a":[{"prefix":"a","suffix":"b"}]})", "one operator"},
      {R"({"a":[{"prefix":1}]})", "prefix takes"},
      {R"({"a":[{"suffix":{"prefix":"b"}}]})", "suffix takes"},
      {R"({"a":[{"exists":"true"}]})", "exists takes"},
      {R"({"a":[{"equals-ignore-case":1}]})", "equals-ignore-case takes"},
      {R"({"a":[{"numeric":[">"]}]})", "numeric takes"},
      {R"({"a":[{"numeric":["!=",1]}]})", "numeric takes"},
      {R"({"a":[{"numeric":["=","1"]}]})", "numeric takes"},
      {R"({"a":[{"anything-but":[]}]})", "anything-but is empty"},
      {R"({"a":[{"anything-but":{"exists":true}}]})", "anything-but takes"},
      {R"({"$or":[{"a":["x"]}]})", "$or is"},
      {R"({"$or":["x","y"]})", "$or is"},
  };
  for (const auto& [pattern, part] : kCases) {
    const auto refused = EventPattern::parse(pattern);
    ASSERT_FALSE(refused.ok()) << pattern;
    EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
    EXPECT_TRUE(refused.error().sentence().contains(part)) << refused.error().sentence();
  }
  std::string deep;
  for (int i = 0; i < 150; ++i) deep += R"({"a":)";
  EXPECT_FALSE(EventPattern::parse(deep + R"(["x"])" + std::string(150, '}')).ok());
  EXPECT_FALSE(EventPattern::parse(R"({"a":[")" + std::string(5'000, 'x') + R"("]})").ok());
}

TEST(FilterCriteria, TakesWhatOneOfItsPatternsMatches) {
  const auto criteria = FilterCriteria::parse(
      R"({"Filters":[{"Pattern":"{\"eventName\":[\"INSERT\"]}"},{"Pattern":"{\"dynamodb\":{\"Keys\":{\"p\":{\"S\":[\"k\"]}}}}"}]})");
  ASSERT_TRUE(criteria.ok()) << criteria.error().sentence();
  EXPECT_TRUE(criteria->matches(R"({"eventName":"INSERT"})").value());
  EXPECT_TRUE(criteria->matches(R"({"eventName":"REMOVE","dynamodb":{"Keys":{"p":{"S":"k"}}}})").value());
  EXPECT_FALSE(criteria->matches(R"({"eventName":"REMOVE","dynamodb":{"Keys":{"p":{"S":"l"}}}})").value());
  ASSERT_FALSE(criteria->matches("{").ok());
  EXPECT_EQ(criteria->matches("{").error().kind(), ErrorKind::kInvalid);
  for (const char* all : {"{}", R"({"Filters":[]})", R"({"Filters":[{"Pattern":"{}"}]})"}) {
    EXPECT_TRUE(FilterCriteria::parse(all).value().matches("{}").value()) << all;
  }
  for (const char* wrong : {"", "[]", R"({"filters":[]})", R"({"Filters":{}})", R"({"Filters":["x"]})",
                            R"({"Filters":[{"Pattern":{"a":["x"]}}]})", R"({"Filters":[{"Pattern":"{","x":1}]})",
                            R"({"Filters":[{"Pattern":"{"}]})"}) {
    const auto refused = FilterCriteria::parse(wrong);
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_TRUE(refused.error().sentence().starts_with("FilterCriteria: ")) << refused.error().sentence();
  }
}

// Else the record would count as one that no pattern matches.
TEST(FilterCriteria, TellsThatThereIsNoMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer ends the program";
#endif
  const auto criteria = FilterCriteria::parse(R"({"Filters":[{"Pattern":"{\"a\":[{\"prefix\":\"x\"}]}"}]})");
  ASSERT_TRUE(criteria.ok());
  const std::string record = R"({"a":")" + std::string(size_t{12} << 20, 'x') + "\"}";
  rlimit before{};
  ::getrlimit(RLIMIT_AS, &before);
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlimit limit{pages * static_cast<uint64_t>(::getpagesize()) + (size_t{16} << 20), before.rlim_max};
  ::setrlimit(RLIMIT_AS, &limit);
  const auto matches = criteria->matches(record);
  ::setrlimit(RLIMIT_AS, &before);
  ASSERT_FALSE(matches.ok());
  EXPECT_EQ(matches.error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(matches.error().sentence(), "There is no memory to filter a record.");
  EXPECT_TRUE(criteria->matches(record).value());
}

}  // namespace
}  // namespace partita::sinks
