#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/thread.h"
#include "net/responder_testing.h"
#include "sinks/destination.h"
#include "sinks/search_sender.h"

namespace partita::sinks {
namespace {

using model::AttributeValue;
using model::Type;
using net::json_reply;

struct SearchRequest {
  std::string method;
  std::string path;
  std::string body;
};

// A search engine that answers as a test says, and else as an OpenSearch that has no index and takes every document.
class FakeSearchEngine {
 public:
  using Answers = std::function<std::string(const SearchRequest&)>;  // an empty reply: as an engine does

  explicit FakeSearchEngine(Answers answers = {})
      : answers_(std::move(answers)), responder_([this](std::string_view bytes) { return answer(bytes); }) {}

  std::unique_ptr<Destination> destination(DestinationSettings settings = {}, std::stop_token hurry = {}) {
    settings.url = "opensearch+http://127.0.0.1:" + responder_.url().port;
    settings.table = "Orders";
    settings.sink = "s";
    if (settings.id.empty()) settings.id = "q7";
    settings.keys = {.partition = {{"p", Type::kS}}, .sort = {}};
    auto made = find_destination(settings.url);
    EXPECT_TRUE(made.ok());
    auto destination = (*made)(settings, std::move(hurry));
    EXPECT_TRUE(destination.ok());
    return *std::move(destination);
  }
  // Between two calls of the destination.
  std::vector<SearchRequest> requests;
  std::vector<SearchRequest> of(std::string_view method, std::string_view path) const {
    std::vector<SearchRequest> found;
    for (const SearchRequest& each : requests) {
      if (each.method == method && each.path.starts_with(path)) found.push_back(each);
    }
    return found;
  }

 private:
  std::string answer(std::string_view bytes) {
    const size_t space = bytes.find(' ');
    const size_t end = bytes.find(' ', space + 1);
    requests.push_back({std::string(bytes.substr(0, space)), std::string(bytes.substr(space + 1, end - space - 1)),
                        std::string(bytes.substr(bytes.find("\r\n\r\n") + 4))});
    const SearchRequest& request = requests.back();
    std::string reply = answers_ ? answers_(request) : "";
    if (!reply.empty()) return reply;
    if (request.path == "/") {
      return json_reply(200, R"({"version":{"number":"2.19.1","distribution":"opensearch"}})");
    }
    if (request.path.contains("/_bulk")) return json_reply(200, all_taken(request.body));
    return request.method == "GET" ? json_reply(404, R"({"error":{"type":"index_not_found_exception"},"status":404})")
                                   : json_reply(200, R"({"acknowledged":true})");
  }

 public:
  static std::string all_taken(const std::string& body) {
    std::string items;
    for (size_t at = 0; at < body.size(); at = body.find('\n', at) + 1) {
      const bool deletes = body.compare(at, 10, R"({"delete":)") == 0;
      if (!deletes && body.compare(at, 9, R"({"index":)") != 0) continue;
      items += items.empty() ? "" : ",";
      items += deletes ? R"({"delete":{"status":404}})" : R"({"index":{"status":201}})";
    }
    return "{\"items\":[" + items + "]}";
  }

 private:
  Answers answers_;
  net::Responder responder_;  // the last: its threads use the others
};

// Items and the deliveries of them.
class SomeItems {
 public:
  explicit SomeItems(size_t count, size_t bytes = 1) {
    for (size_t i = 0; i < count; ++i) {
      model::AttributeMap item;
      item.set("p", AttributeValue::string(key(i)));
      item.set("v", AttributeValue::string(std::string(bytes, 'x')));
      items_.push_back(std::move(item));
    }
    for (size_t i = 0; i < count; ++i) deliveries.push_back({.key = stored_key(i), .version = 7, .item = &items_[i]});
  }
  static std::string key(size_t i) { return "k" + std::to_string(i); }
  static std::string stored_key(size_t i) {
    const AttributeValue value = AttributeValue::string(key(i));
    const AttributeValue* const partition[] = {&value};
    return model::collection_prefix(3, model::kBaseIndex, partition);
  }
  std::vector<Delivery> deliveries;

 private:
  std::vector<model::Item> items_;
};

std::vector<Outcome> sent(Destination& destination, const SomeItems& items) {
  auto outcomes = destination.send(1, items.deliveries);
  EXPECT_TRUE(outcomes.ok()) << outcomes.error().sentence();
  if (!outcomes.ok()) return {};
  EXPECT_EQ(outcomes->size(), items.deliveries.size());
  return *std::move(outcomes);
}

size_t count_fate(const std::vector<Outcome>& outcomes, Fate fate) {
  return static_cast<size_t>(std::ranges::count(outcomes, fate, &Outcome::fate));
}

TEST(SearchDestination, IsFoundByItsScheme) {
  for (const char* url : {"https://user:secret@host", "opensearch:secret", "secret", "a:secret@b://c", "secret://x/"}) {
    const auto refused = find_destination(url);
    ASSERT_FALSE(refused.ok()) << url;
    EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
    const bool is_scheme = std::string_view(url).starts_with("secret://");
    EXPECT_EQ(refused.error().sentence().contains("secret"), is_scheme) << refused.error().sentence();
  }
  EXPECT_TRUE(find_destination("elasticsearch+https://host").ok());
}

TEST(SearchDestination, SendsDocumentsAndDeletesWithTheirVersions) {
  FakeSearchEngine engine;
  SomeItems items(2);
  items.deliveries[1].item = nullptr;
  const auto destination = engine.destination();
  EXPECT_EQ(count_fate(sent(*destination, items), Fate::kDone), 2U);
  ASSERT_EQ(engine.requests.size(), 1U);
  EXPECT_TRUE(engine.requests[0].path.starts_with("/orders-s-q7-1-write/_bulk?require_alias=true&"));
  EXPECT_EQ(engine.requests[0].body,
            "{\"index\":{\"_id\":\"k0\",\"version\":7,\"version_type\":\"external_gte\"}}\n"
            "{\"p\":\"k0\",\"v\":\"x\"}\n"
            "{\"delete\":{\"_id\":\"k1\",\"version\":7,\"version_type\":\"external_gte\"}}\n");
  EXPECT_EQ(destination->document_id(SomeItems::stored_key(4)), "k4");
  EXPECT_TRUE(sent(*destination, SomeItems(0)).empty());
  EXPECT_EQ(engine.requests.size(), 1U) << "nothing to send is no request";
}

TEST(SearchDestination, BoundsTheBytesOfARequest) {
  FakeSearchEngine engine;
  const SomeItems items(30, 400'000);
  EXPECT_EQ(count_fate(sent(*engine.destination(), items), Fate::kDone), 30U);
  EXPECT_EQ(engine.requests.size(), 3U);
  for (const SearchRequest& each : engine.requests) {
    EXPECT_LT(each.body.size(), SearchSender::kMostBulkBytes + 500'000);
  }
}

TEST(SearchDestination, SendsManyItemsInTwoRequests) {
  FakeSearchEngine engine([](const SearchRequest& request) {
    std::string reply = FakeSearchEngine::all_taken(request.body);
    if (!request.body.contains("\"k1999\"")) return json_reply(200, reply);
    const size_t last = reply.rfind(R"({"index")");
    reply.resize(last);
    return json_reply(200, reply + R"({"index":{"status":400,"error":{"type":"mapper_parsing_exception"}}}]})");
  });
  const auto outcomes = sent(*engine.destination(), SomeItems(2'000));
  ASSERT_EQ(engine.requests.size(), 2U);
  EXPECT_NE(engine.requests[0].body.contains("\"k0\""), engine.requests[1].body.contains("\"k0\""));
  ASSERT_EQ(outcomes.size(), 2'000U);
  EXPECT_EQ(outcomes.back().fate, Fate::kRejected);
  EXPECT_EQ(count_fate(outcomes, Fate::kDone), 1'999U);
}

TEST(SearchDestination, FailsIfOneOfTwoRequestsFails) {
  for (const std::string_view which : {"\"k0\"", "\"k1999\""}) {
    FakeSearchEngine engine([which](const SearchRequest& request) {
      return request.body.contains(which) ? json_reply(403, "{}") : std::string();
    });
    const auto outcomes = engine.destination()->send(1, SomeItems(2'000).deliveries);
    ASSERT_FALSE(outcomes.ok());
    EXPECT_EQ(outcomes.error().kind(), ErrorKind::kUnavailable);
  }
}

TEST(SearchDestination, SendsAllFromOneThreadIfThereIsNoOther) {
  const ThreadStartFailure no_threads;
  FakeSearchEngine engine;
  EXPECT_EQ(count_fate(sent(*engine.destination(), SomeItems(2'000)), Fate::kDone), 2'000U);
}

TEST(SearchDestination, BeginsNoRequestWhenItHurries) {
  std::stop_source stop;
  FakeSearchEngine engine([&stop](const SearchRequest&) {
    stop.request_stop();
    return std::string();
  });
  const SomeItems items(30, 400'000);
  const auto stopped = engine.destination({}, stop.get_token())->send(1, items.deliveries);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(engine.requests.size(), 1U);
}

TEST(SearchDestination, HalvesWhatIsRefusedDownToOneItem) {
  for (const int status : {400, 413, 500}) {
    FakeSearchEngine engine([status](const SearchRequest& request) {
      return request.body.contains("\"k13\"") ? json_reply(status, R"({"error":{"type":"t","reason":"r"}})") : "";
    });
    const auto outcomes = sent(*engine.destination(), SomeItems(100));
    EXPECT_EQ(count_fate(outcomes, Fate::kDone), 99U) << status;
    EXPECT_EQ(outcomes[13].fate, Fate::kRejected);
    EXPECT_EQ(outcomes[13].reason, "The search engine answered " + std::to_string(status) + ": t: r");
    EXPECT_LT(engine.requests.size(), 20U);
  }
}

TEST(SearchDestination, BlamesNoItemForAMomentOfTheEngine) {
  // Of the first requests, all that there are down to one item are refused.
  for (const size_t unwell : {1, 4}) {
    FakeSearchEngine engine([&engine, unwell](const SearchRequest&) {
      return engine.requests.size() <= unwell ? json_reply(500, R"({"error":"a moment"})") : std::string();
    });
    EXPECT_EQ(count_fate(sent(*engine.destination(), SomeItems(8)), Fate::kDone), 8U) << unwell;
  }
  FakeSearchEngine full([&full](const SearchRequest&) {
    if (full.requests.size() == 2) return std::string();  // the probe
    return json_reply(full.requests.size() == 1 ? 500 : 429, R"({"error":"full"})");
  });
  EXPECT_EQ(sent(*full.destination(), SomeItems(1))[0].fate, Fate::kLater);
}

TEST(SearchDestination, BlamesNoItemOfAnEngineThatRefusesEverything) {
  FakeSearchEngine engine([](const SearchRequest&) { return json_reply(500, R"({"error":"broken"})"); });
  const SomeItems items(1'000);
  const auto failed = engine.destination()->send(1, items.deliveries);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(failed.error().sentence(), "The search engine answered 500: broken");
  EXPECT_LT(engine.requests.size(), 20U);
}

TEST(SearchDestination, SendsNoMoreToAnEngineThatIsOverloaded) {
  for (const int status : {429, 503}) {
    FakeSearchEngine engine([&engine, status](const SearchRequest&) {
      return engine.requests.size() == 2 ? json_reply(status, R"({"error":"full"})") : std::string();
    });
    const auto outcomes = sent(*engine.destination(), SomeItems(30, 400'000));
    EXPECT_EQ(engine.requests.size(), 2U);
    EXPECT_EQ(count_fate(outcomes, Fate::kDone), 14U);
    EXPECT_EQ(count_fate(outcomes, Fate::kLater), 16U);
    EXPECT_EQ(outcomes.back().reason, "The search engine answered " + std::to_string(status) + ": full");
  }
}

TEST(SearchDestination, ReadsAReplyItemByItem) {
  FakeSearchEngine engine([](const SearchRequest&) {
    return json_reply(200, R"({"items":[{"index":{"status":201}},{"index":{"status":409,"error":{"type":)"
                           R"("version_conflict_engine_exception"}}},{"index":{"status":429,"error":{"type":"full"}}},)"
                           R"({"index":{"status":400,"error":{"type":"mapper_parsing_exception","reason":"no"}}}]})");
  });
  const auto outcomes = sent(*engine.destination(), SomeItems(4));
  EXPECT_EQ(outcomes[0].fate, Fate::kDone);
  EXPECT_TRUE(outcomes[1].conflict);
  EXPECT_EQ(outcomes[2].fate, Fate::kLater);
  EXPECT_EQ(outcomes[3].fate, Fate::kRejected);
  EXPECT_EQ(outcomes[3].reason, "mapper_parsing_exception: no");
}

// Answers 201 to each document, but this to those of "k1".
std::string refusing_one(const std::string& body, const std::string& result) {
  std::string all = FakeSearchEngine::all_taken(body);
  const size_t at = body.find("\"k1\"");
  if (at == std::string::npos) return all;
  size_t place = 0;
  const auto before = std::string_view(body).substr(0, at);
  for (size_t next = before.find("{\"index\""); next != std::string_view::npos;
       next = before.find("{\"index\"", next + 1)) {
    place = all.find("{\"index\"", place + 1);
  }
  const std::string taken = R"({"index":{"status":201}})";
  return all.replace(place, taken.size(), result);
}

TEST(SearchDestination, RejectsInTheEndAnItemThatAloneIsRefused) {
  for (const int status : {401, 403, 404, 408, 500, 502}) {
    const std::string refusal =
        "{\"index\":{\"status\":" + std::to_string(status) + R"(,"error":{"type":"t","reason":"r"}}})";
    FakeSearchEngine engine(
        [&](const SearchRequest& request) { return json_reply(200, refusing_one(request.body, refusal)); });
    const auto destination = engine.destination();
    SomeItems items(3);
    EXPECT_EQ(sent(*destination, items)[1].fate, Fate::kLater);
    items.deliveries = {items.deliveries[1]};  // as the others are done
    for (int tries = 2; tries < SearchSender::kMostRefusals; ++tries) {
      EXPECT_EQ(sent(*destination, items)[0].fate, Fate::kLater);
    }
    const auto outcomes = sent(*destination, items);
    EXPECT_EQ(outcomes[0].fate, Fate::kRejected) << status;
    EXPECT_EQ(outcomes[0].reason, "t: r");
    EXPECT_EQ(sent(*destination, items)[0].fate, Fate::kLater) << "counted anew";
  }
}

TEST(SearchDestination, RejectsNothingForAnEngineThatIsUnwell) {
  for (const int status : {429, 500, 503}) {
    FakeSearchEngine engine([&](const SearchRequest& request) {
      std::string all = FakeSearchEngine::all_taken(request.body);
      for (const std::string_view taken : {R"("status":201)", R"("status":404)"}) {
        for (size_t at = all.find(taken); at != std::string::npos; at = all.find(taken)) {
          all.replace(at, taken.size(), "\"status\":" + std::to_string(status) + R"(,"error":{"type":"t"})");
        }
      }
      return json_reply(200, all);
    });
    const auto destination = engine.destination();
    for (int tries = 0; tries <= SearchSender::kMostRefusals; ++tries) {
      EXPECT_EQ(count_fate(sent(*destination, SomeItems(2)), Fate::kLater), 2U) << status;
    }
  }
}

TEST(SearchDestination, SaysThatTheIndexIsGone) {
  FakeSearchEngine engine([](const SearchRequest&) {
    return json_reply(200, R"({"items":[{"index":{"status":404,"error":{"type":"index_not_found_exception"}}}]})");
  });
  const SomeItems items(1);
  const auto failed = engine.destination()->send(1, items.deliveries);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(failed.error().sentence(), "The index orders-s-q7-1 is gone.");
}

TEST(SearchDestination, RejectsAKeyOfAnotherTable) {
  FakeSearchEngine engine;
  SomeItems items(2);
  items.deliveries[0].key = "nonsense";
  const auto outcomes = sent(*engine.destination(), items);
  EXPECT_EQ(outcomes[0].fate, Fate::kRejected);
  EXPECT_EQ(outcomes[1].fate, Fate::kDone);
}

TEST(SearchDestination, KeepsAsideWhatTheFlatFieldDoesNotTake) {
  FakeSearchEngine engine([](const SearchRequest& request) {
    if (!request.body.contains(R"({"item":{"p":"k1")")) return std::string();
    return json_reply(200,
                      R"({"items":[{"index":{"status":201}},{"index":{"status":400,"error":{"type":"immense"}}}]})");
  });
  const SomeItems items(2);
  DestinationSettings settings;
  settings.mode = DocumentMode::kFlat;
  const auto destination = engine.destination(settings);
  EXPECT_EQ(count_fate(sent(*destination, items), Fate::kDone), 2U);
  ASSERT_EQ(engine.requests.size(), 2U);
  EXPECT_TRUE(engine.requests[0].body.contains(R"({"item":{"p":"k0","v":"x"}})"));
  EXPECT_TRUE(engine.requests[1].body.ends_with("\n{\"unindexed\":{\"p\":\"k1\",\"v\":\"x\"}}\n"));
  EXPECT_FALSE(engine.requests[1].body.contains("k0"));
}

TEST(SearchDestination, MakesTheIndexOfAFill) {
  FakeSearchEngine engine;
  const auto destination = engine.destination();
  ASSERT_TRUE(destination->prepare(5).ok());
  const auto made = engine.of("PUT", "/orders-s-q7-5");
  ASSERT_EQ(made.size(), 1U);
  EXPECT_TRUE(made[0].body.contains("dynamic_templates"));
  EXPECT_EQ(destination->target(), "orders-s");

  FakeSearchEngine has_it([](const SearchRequest& request) {
    return request.method == "PUT" ? json_reply(400, R"({"error":{"type":"resource_already_exists_exception"}})") : "";
  });
  EXPECT_TRUE(has_it.destination()->prepare(5).ok());
  FakeSearchEngine refuses([](const SearchRequest& request) {
    return request.method == "PUT" ? json_reply(400, R"({"error":{"type":"t","reason":"no such type"}})") : "";
  });
  const auto refused = refuses.destination()->prepare(5);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  EXPECT_TRUE(refused.error().sentence().ends_with("no such type")) << refused.error().sentence();
}

TEST(SearchDestination, TakesNoNameThatIsInUse) {
  for (const char* holder :
       {R"({"orders-s":{"settings":{}}})", R"({"other":{"settings":{}}})",
        R"({"orders-s-z9-1":{"mappings":{"_meta":{"partita":{"table":"Orders","sink":"s","id":"z9"}}}}})"}) {
    FakeSearchEngine engine([holder](const SearchRequest& request) {
      return request.path.starts_with("/orders-s?") ? json_reply(200, holder) : "";
    });
    for (const auto& refused : {engine.destination()->prepare(1), engine.destination()->publish(1)}) {
      ASSERT_FALSE(refused.ok()) << holder;
      EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
      EXPECT_TRUE(refused.error().sentence().contains("--index"));
    }
    EXPECT_TRUE(engine.of("PUT", "/").empty());
  }
}

TEST(SearchDestination, SwitchesTheAliasAndDeletesOlderFills) {
  std::string holders =
      R"({"orders-s-q7-1":{"settings":{}},"restored":{"mappings":{"_meta":{"partita":{"table":"Orders",)"
      R"("sink":"s","id":"q7"}}}}})";
  FakeSearchEngine engine([&holders](const SearchRequest& request) {
    if (request.path.starts_with("/orders-s?")) return json_reply(200, holders);
    if (!request.path.starts_with("/orders-s-q7-*/_alias")) return std::string();
    return json_reply(200,
                      R"({"orders-s-q7-1":{},"orders-s-q7-1-write":{},"orders-s-q7-2":{},"orders-s-q7-marks":{}})");
  });
  const auto destination = engine.destination();
  ASSERT_TRUE(destination->publish(2).ok());
  const auto switched = engine.of("POST", "/_aliases");
  ASSERT_EQ(switched.size(), 1U);
  EXPECT_EQ(switched[0].body,
            R"({"actions":[{"add":{"index":"orders-s-q7-2","alias":"orders-s"}},)"
            R"({"remove":{"index":"restored","alias":"orders-s"}},)"
            R"({"remove_index":{"index":"orders-s-q7-1"}},{"remove_index":{"index":"orders-s-q7-1-write"}}]})");
  const auto gone = destination->publish(3);
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().sentence(), "The index orders-s-q7-3 is gone.");
}

TEST(SearchDestination, NoticesThatItsIndexIsGone) {
  FakeSearchEngine engine([](const SearchRequest& request) {
    return request.path == "/_alias/orders-s-q7-1-write" ? json_reply(200, R"({"orders-s-q7-1":{}})") : "";
  });
  EXPECT_TRUE(engine.destination()->is_intact(1).value());
  EXPECT_FALSE(engine.destination()->is_intact(2).value());
  FakeSearchEngine broken([](const SearchRequest&) { return json_reply(502, ""); });
  EXPECT_FALSE(broken.destination()->is_intact(1).ok());
  FakeSearchEngine without([](const SearchRequest& request) {
    if (request.path == "/") return std::string();
    return json_reply(404, R"({"error":"alias [orders-s-q7-1-write] missing","status":404})");
  });
  EXPECT_FALSE(without.destination()->is_intact(1).value());
}

TEST(SearchDestination, TakesTheWordOfNoProxyThatSomethingIsGone) {
  for (const char* body : {"<html>404 Not Found</html>", "", "{}", R"({"message":"no Route matched"})",
                           R"({"status":404,"error":"Not Found","path":"/"})", R"({"found":false})"}) {
    FakeSearchEngine proxy([body](const SearchRequest&) { return json_reply(404, body); });
    const auto destination = proxy.destination();
    const auto intact = destination->is_intact(1);
    const auto mark = destination->read_mark(1);
    const auto removed = destination->remove();
    ASSERT_FALSE(intact.ok() || mark.ok() || removed.ok()) << body;
    EXPECT_EQ(intact.error().kind(), ErrorKind::kUnavailable);
    EXPECT_EQ(mark.error().kind(), ErrorKind::kUnavailable);
    EXPECT_EQ(removed.error().kind(), ErrorKind::kUnavailable);
  }
  FakeSearchEngine engine([](const SearchRequest&) { return json_reply(404, R"({"_index":"x","found":false})"); });
  EXPECT_EQ(engine.destination()->read_mark(1).value(), std::nullopt);
}

TEST(SearchDestination, ComparesDocumentsAsTheyAreWritten) {
  FakeSearchEngine engine([](const SearchRequest& request) {
    if (!request.path.contains("/_mget")) return std::string();
    return json_reply(200,
                      R"({"docs":[{"_id":"k0","found":true,"_source":{"p":"k0","v":"x"}},{"_id":"k1","found":true,)"
                      R"("_source":{"p":"k1","v":"y"}},{"_id":"k2","found":false},{"_id":"k3","found":false}]})");
  });
  SomeItems items(4);
  items.deliveries[3].item = nullptr;
  const auto same = engine.destination()->compare(1, items.deliveries);
  ASSERT_TRUE(same.ok()) << same.error().sentence();
  EXPECT_EQ(*same, (std::vector<bool>{true, false, false, true}));
  EXPECT_EQ(engine.of("POST", "/orders-s-q7-1/_mget")[0].body, R"({"ids":["k0","k1","k2","k3"]})");
  FakeSearchEngine other([](const SearchRequest&) { return json_reply(200, R"({"docs":[]})"); });
  EXPECT_FALSE(other.destination()->compare(1, items.deliveries).ok());
}

TEST(SearchDestination, KeepsAMark) {
  FakeSearchEngine engine([](const SearchRequest& request) {
    if (request.path.ends_with("&version=6")) {
      return json_reply(409, R"({"error":{"type":"version_conflict_engine_exception","reason":"newer"},"status":409})");
    }
    if (request.method != "GET") return std::string();
    return json_reply(200, R"({"_id":"1","found":true,"_source":{"mark":"m7"}})");
  });
  const auto destination = engine.destination();
  EXPECT_EQ(destination->read_mark(1).value(), "m7");
  EXPECT_TRUE(destination->write_mark(1, "m8", 8).value());
  EXPECT_FALSE(destination->write_mark(1, "m6", 6).value()) << "there is one of a higher version";
  EXPECT_TRUE(destination->write_mark(1, "m9", 9).value());
  const auto written = engine.of("PUT", "/orders-s-q7-marks/_doc/1");
  ASSERT_EQ(written.size(), 3U);
  EXPECT_EQ(written[2].body, R"({"mark":"m9"})");
  EXPECT_TRUE(written[2].path.ends_with("?version_type=external_gte&version=9")) << written[2].path;
  EXPECT_EQ(engine.of("PUT", "/orders-s-q7-marks").size(), 4U) << "the index is made once";
  FakeSearchEngine empty;
  EXPECT_EQ(empty.destination()->read_mark(1).value(), std::nullopt);
}

TEST(SearchDestination, RemovesItsIndexes) {
  FakeSearchEngine engine([](const SearchRequest& request) {
    return request.method == "GET" ? json_reply(200, R"({"orders-s-q7-1":{},"orders-s-q7-1-x":{}})") : "";
  });
  ASSERT_TRUE(engine.destination()->remove().ok());
  ASSERT_EQ(engine.requests.size(), 2U);
  EXPECT_EQ(engine.requests[1].method + engine.requests[1].path, "DELETE/orders-s-q7-1");
}

TEST(SearchDestination, CountsDocumentsAfterARefresh) {
  FakeSearchEngine engine([](const SearchRequest& request) {
    return request.path.ends_with("/_count") ? json_reply(200, R"({"count":12})") : "";
  });
  EXPECT_EQ(engine.destination()->count(1).value(), 12U);
  EXPECT_EQ(engine.requests.front().path, "/orders-s-q7-1/_refresh");
}

}  // namespace
}  // namespace partita::sinks
