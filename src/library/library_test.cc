// The library as other programs use it: by its header, and linked as the shared library that they get.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "library/partita.h"

namespace {

constexpr std::string_view kMusic = R"({"TableName":"Music","BillingMode":"PAY_PER_REQUEST",
  "AttributeDefinitions":[{"AttributeName":"Artist","AttributeType":"S"}],
  "KeySchema":[{"AttributeName":"Artist","KeyType":"HASH"}]})";

struct Said {
  partita_code code = PARTITA_OK;
  int status = 0;
  std::string body;
  bool operator==(const Said&) const = default;
};

Said taken(partita_code code, partita_reply& reply) {
  Said said{code, reply.status, reply.body == nullptr ? "" : std::string(reply.body, reply.length)};
  EXPECT_TRUE(reply.body == nullptr || reply.body[reply.length] == '\0');
  partita_reply_free(&reply);
  EXPECT_EQ(reply.owned, nullptr);
  partita_reply_free(&reply);
  return said;
}

partita_attribute text(std::string_view name, std::string_view data, uint32_t type = PARTITA_STRING) {
  return {type, 0, name.data(), name.size(), data.data(), data.size(), nullptr, 0};
}
partita_attribute holder(std::string_view name, uint32_t type, const std::vector<partita_attribute>& elements) {
  return {type, 0, name.data(), name.size(), nullptr, 0, elements.data(), elements.size()};
}

// Also what the function said on failure.
class Database {
 public:
  explicit Database(const std::string& path = {}, int64_t clock_ms = 0) {
    const partita_options options{sizeof(partita_options), path.empty() ? nullptr : path.c_str(), nullptr, clock_ms, 0};
    opened = partita_open(&options, &db, why.data(), why.size());
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() { partita_close(db); }

  Said call(const char* operation, std::string_view json) const {
    partita_reply reply;
    const partita_code code = partita_call(db, operation, json.data(), json.size(), &reply);
    return taken(code, reply);
  }
  Said put(const std::vector<partita_attribute>& item, const char* table = "Music") const {
    partita_reply reply;
    const partita_code code = partita_put_item(db, table, item.data(), item.size(), &reply);
    return taken(code, reply);
  }
  Said erase(const std::vector<partita_attribute>& key, const char* table = "Music") const {
    partita_reply reply;
    const partita_code code = partita_delete_item(db, table, key.data(), key.size(), &reply);
    return taken(code, reply);
  }
  int count() const {
    return call("Scan", R"({"TableName":"Music","Select":"COUNT"})").body.contains("\"Count\":0") ? 0 : 1;
  }

  partita_db* db = nullptr;
  std::array<char, 512> why{};
  partita_code opened = PARTITA_OK;
};

std::string json_put(std::string_view artist, std::string_view more = "") {
  return R"({"TableName":"Music","Item":{"Artist":{"S":")" + std::string(artist) + "\"}" + std::string(more) + "}}";
}

TEST(Library, AnswersAsAServerDoes) {
  const Database database;
  ASSERT_EQ(database.opened, PARTITA_OK) << database.why.data();
  EXPECT_EQ(database.call("CreateTable", kMusic).status, 200);
  EXPECT_EQ(database.call("PutItem", json_put("Acme", R"(,"Year":{"N":"2018.0"})")), (Said{PARTITA_OK, 200, "{}"}));
  EXPECT_EQ(database.call("DynamoDB_20120810.GetItem", R"({"TableName":"Music","Key":{"Artist":{"S":"Acme"}}})").body,
            R"({"Item":{"Artist":{"S":"Acme"},"Year":{"N":"2018"}}})");
  const Said none = database.call("GetItem", R"({"TableName":"Nothing","Key":{"Artist":{"S":"Acme"}}})");
  EXPECT_EQ(none.code, PARTITA_OK);
  EXPECT_EQ(none.status, 400);
  EXPECT_TRUE(none.body.contains("ResourceNotFoundException")) << none.body;
  const std::string unknown = database.call("NoSuchThing", "{}").body;
  EXPECT_TRUE(unknown.contains("UnknownOperationException") && !unknown.contains(".NoSuchThing")) << unknown;
  EXPECT_EQ(database.call("GetItem", "{").status, 400);
  EXPECT_EQ(database.call("ListTables", "").status, 400);
  EXPECT_TRUE(database.call("ListStreams", "{}").body.contains("\"Streams\":[]"));
  EXPECT_TRUE(database.call("DescribeTable", R"({"TableName":"Music"})").body.contains(":us-east-1:"));
}

TEST(Library, RefusesWhatIsNotThere) {
  partita_reply reply{.status = 7, .item_count = 0, .body = nullptr, .length = 0, .item = nullptr, .owned = nullptr};
  EXPECT_EQ(partita_call(nullptr, "GetItem", "{}", 2, &reply), PARTITA_INVALID);
  EXPECT_EQ(reply.status, 0);
  EXPECT_EQ(partita_open(nullptr, nullptr, nullptr, 0), PARTITA_INVALID);
  const Database database;
  EXPECT_EQ(partita_call(database.db, nullptr, "{}", 2, &reply), PARTITA_INVALID);
  EXPECT_EQ(partita_call(database.db, "", "{}", 2, &reply), PARTITA_INVALID);
  EXPECT_EQ(partita_call(database.db, "Get\nItem", "{}", 2, &reply), PARTITA_INVALID);
  EXPECT_EQ(partita_call(database.db, "GetItem", nullptr, 2, &reply), PARTITA_INVALID);
  EXPECT_EQ(partita_call(database.db, "GetItem", "{}", 2, nullptr), PARTITA_INVALID);
  EXPECT_EQ(partita_get_item(database.db, nullptr, nullptr, 0, 0, &reply), PARTITA_INVALID);
  EXPECT_EQ(partita_get_item(database.db, "Music", nullptr, 1, 0, &reply), PARTITA_INVALID);
  EXPECT_EQ(partita_get_item(database.db, "Music", nullptr, 0, 2, &reply), PARTITA_INVALID);
  EXPECT_EQ(partita_get_item(database.db, "\xff", nullptr, 0, 0, &reply), PARTITA_INVALID);
  EXPECT_EQ(partita_snapshot(database.db, nullptr, nullptr, 0), PARTITA_INVALID);
  EXPECT_EQ(partita_move_clock(database.db, 0, 2, nullptr, 0), PARTITA_INVALID);
  EXPECT_EQ(partita_move_clock(database.db, INT64_MIN, 0, nullptr, 0), PARTITA_INVALID);
  partita_close(nullptr);
  partita_reply_free(nullptr);
}

TEST(Library, RefusesOptionsThatItDoesNotKnow) {
  struct Newer {
    partita_options known;
    uint64_t more;
  } newer{{sizeof(Newer), nullptr, nullptr, 0, 0}, 0};
  partita_db* db = nullptr;
  std::array<char, 512> why{};
  EXPECT_EQ(partita_open(&newer.known, &db, why.data(), why.size()), PARTITA_OK) << why.data();
  partita_close(db);
  newer.more = 1;
  EXPECT_EQ(partita_open(&newer.known, &db, why.data(), why.size()), PARTITA_INVALID);
  EXPECT_EQ(db, nullptr);
  const auto refused = [&](partita_options options, size_t why_size) {
    const partita_code code = partita_open(&options, &db, why.data(), why_size);
    return code == PARTITA_INVALID && db == nullptr;
  };
  EXPECT_TRUE(refused({0, nullptr, nullptr, 0, 0}, why.size()));
  EXPECT_TRUE(refused({sizeof(partita_options), "", nullptr, 0, 0}, why.size()));
  EXPECT_TRUE(refused({sizeof(partita_options), nullptr, "US", 0, 0}, why.size()));
  EXPECT_TRUE(refused({sizeof(partita_options), nullptr, nullptr, INT64_MAX, 0}, why.size()));
  EXPECT_TRUE(refused({sizeof(partita_options), nullptr, nullptr, 0, 1}, 14));
  EXPECT_STREQ(why.data(), "partita_optio");
}

std::string folder() {
  std::string made = std::filesystem::temp_directory_path() / "partita_library_XXXXXX";
  EXPECT_NE(mkdtemp(made.data()), nullptr);
  return made;
}

TEST(Library, KeepsADirectoryToItself) {
  const std::string path = folder();
  {
    const Database database(path);
    ASSERT_EQ(database.opened, PARTITA_OK) << database.why.data();
    EXPECT_EQ(database.call("CreateTable", kMusic).status, 200);
    EXPECT_EQ(database.call("PutItem", json_put("Acme")).status, 200);
    const Database second(path);
    EXPECT_EQ(second.opened, PARTITA_UNAVAILABLE);
    EXPECT_EQ(second.db, nullptr);
    EXPECT_TRUE(std::string_view(second.why.data()).contains("in use")) << second.why.data();
    EXPECT_EQ(second.call("ListTables", "{}").code, PARTITA_INVALID);
  }
  {
    const Database again(path);
    ASSERT_EQ(again.opened, PARTITA_OK) << again.why.data();
    EXPECT_EQ(again.count(), 1);
  }
  const Database nowhere("/proc/partita/none");
  EXPECT_EQ(nowhere.opened, PARTITA_UNAVAILABLE);
  EXPECT_NE(nowhere.why[0], '\0');
  std::filesystem::remove_all(path);
}

TEST(Library, KeepsDatabasesApart) {
  const Database one;
  const Database other;
  EXPECT_EQ(one.call("CreateTable", kMusic).status, 200);
  EXPECT_EQ(one.call("PutItem", json_put("Acme")).status, 200);
  EXPECT_TRUE(other.call("ListTables", "{}").body.contains("[]"));
}

TEST(Library, TakesValuesWithoutJson) {
  const Database database;
  ASSERT_EQ(database.call("CreateTable", kMusic).status, 200);
  const std::vector<partita_attribute> numbers{text("", "2", PARTITA_NUMBER), text("", "10", PARTITA_NUMBER)};
  const std::vector<partita_attribute> strings{text("", "a"), text("", "b")};
  const std::vector<partita_attribute> bytes{text("", std::string_view("\0x", 2), PARTITA_BINARY)};
  const std::vector<partita_attribute> inner{text("N", "-1e3", PARTITA_NUMBER), text("S", "")};
  const std::vector<partita_attribute> list{text("", "z"), holder("", PARTITA_MAP, inner),
                                            holder("", PARTITA_NULL, {})};
  std::vector<partita_attribute> item{text("Artist", "Acme"),
                                      holder("Zn", PARTITA_NUMBER_SET, numbers),
                                      holder("As", PARTITA_STRING_SET, strings),
                                      holder("Bs", PARTITA_BINARY_SET, bytes),
                                      holder("L", PARTITA_LIST, list),
                                      text("B", std::string_view("\xff\0", 2), PARTITA_BINARY)};
  item.push_back({PARTITA_BOOLEAN, 0, "Yes", 3, nullptr, 0, nullptr, 1});
  EXPECT_EQ(database.put(item), (Said{PARTITA_OK, 200, "{}"}));
  EXPECT_EQ(database.call("GetItem", R"({"TableName":"Music","Key":{"Artist":{"S":"Acme"}}})").body,
            R"({"Item":{"Artist":{"S":"Acme"},"As":{"SS":["a","b"]},"B":{"B":"/wA="},"Bs":{"BS":["AHg="]},)"
            R"("L":{"L":[{"S":"z"},{"M":{"N":{"N":"-1000"},"S":{"S":""}}},{"NULL":true}]},"Yes":{"BOOL":true},)"
            R"("Zn":{"NS":["2","10"]}}})");

  partita_reply reply;
  const std::vector<partita_attribute> key{text("Artist", "Acme")};
  ASSERT_EQ(partita_get_item(database.db, "Music", key.data(), 1, 1, &reply), PARTITA_OK);
  ASSERT_EQ(reply.status, 200);
  ASSERT_EQ(reply.item_count, 7U);
  // What was read can be written.
  EXPECT_EQ(database.erase(key), (Said{PARTITA_OK, 200, "{}"}));
  EXPECT_EQ(database.count(), 0);
  const std::string before = database.call("Scan", R"({"TableName":"Music"})").body;
  EXPECT_EQ(database.put({reply.item, reply.item + reply.item_count}).status, 200);
  const std::string after = database.call("Scan", R"({"TableName":"Music"})").body;
  EXPECT_NE(before, after);
  EXPECT_TRUE(after.contains(R"({"M":{"N":{"N":"-1000"},"S":{"S":""}}})")) << after;
  partita_reply_free(&reply);
  ASSERT_EQ(partita_get_item(database.db, "Music", key.data(), 1, 0, &reply), PARTITA_OK);
  EXPECT_EQ(std::string_view(reply.item[1].name, reply.item[1].name_length), "As");
  EXPECT_EQ(reply.item[4].type, uint32_t{PARTITA_LIST});
  EXPECT_EQ(reply.item[4].elements[1].elements[0].length, 5U);
  partita_reply_free(&reply);
  const std::vector<partita_attribute> other{text("Artist", "Nobody")};
  ASSERT_EQ(partita_get_item(database.db, "Music", other.data(), 1, 0, &reply), PARTITA_OK);
  EXPECT_EQ(reply.item, nullptr);
  EXPECT_EQ(taken(PARTITA_OK, reply), (Said{PARTITA_OK, 200, "{}"}));
}

// Each typed call that is refused has the words of the same call in JSON.
TEST(Library, RefusesValuesInTheWordsOfJson) {
  const Database database;
  ASSERT_EQ(database.call("CreateTable", kMusic).status, 200);
  const auto same = [&](const std::vector<partita_attribute>& item, std::string_view json, int status = 400) {
    const Said typed = database.put(item);
    EXPECT_EQ(typed, database.call("PutItem", json));
    EXPECT_EQ(typed.status, status) << typed.body;
  };
  const partita_attribute artist = text("Artist", "Acme");
  same({}, R"({"TableName":"Music","Item":{}})");
  same({text("Year", "1", PARTITA_NUMBER)}, R"({"TableName":"Music","Item":{"Year":{"N":"1"}}})");
  same({text("Artist", "")}, R"({"TableName":"Music","Item":{"Artist":{"S":""}}})");
  same({artist, text("Year", "x", PARTITA_NUMBER)}, json_put("Acme", R"(,"Year":{"N":"x"})"));
  same({artist, text("", "x")}, json_put("Acme", R"(,"":{"S":"x"})"));
  const std::vector<partita_attribute> twice{text("", "a"), text("", "a")};
  same({artist, holder("As", PARTITA_STRING_SET, twice)}, json_put("Acme", R"(,"As":{"SS":["a","a"]})"));
  same({artist, holder("As", PARTITA_STRING_SET, {})}, json_put("Acme", R"(,"As":{"SS":[]})"));
  const std::string large(400 * 1024, 'x');
  same({artist, text("X", large)}, json_put("Acme", ",\"X\":{\"S\":\"" + large + "\"}"));
  std::vector<std::vector<partita_attribute>> levels(1);
  std::string nested = R"({"NULL":true})";
  levels[0] = {holder("", PARTITA_NULL, {})};
  for (int i = 0; i < 33; ++i) {
    levels.push_back({holder("", PARTITA_LIST, levels.back())});
    nested = R"({"L":[)" + nested + "]}";
  }
  same({artist, holder("Deep", PARTITA_LIST, levels[32])}, json_put("Acme", ",\"Deep\":" + nested));
  EXPECT_EQ(database.put({artist}, "Nothing"),
            database.call("PutItem", R"({"TableName":"Nothing","Item":{"Artist":{"S":"Acme"}}})"));
  EXPECT_EQ(database.put({artist}, "No"),
            database.call("PutItem", R"({"TableName":"No","Item":{"Artist":{"S":"Acme"}}})"));
  EXPECT_EQ(database.erase({}), database.call("DeleteItem", R"({"TableName":"Music","Key":{}})"));
  EXPECT_EQ(database.count(), 0);
}

TEST(Library, TakesTheLastOfTwoMembersOfOneName) {
  const Database database;
  ASSERT_EQ(database.call("CreateTable", kMusic).status, 200);
  const std::vector<partita_attribute> twice{text("Artist", "Acme"), text("X", "first"), text("X", "last")};
  EXPECT_EQ(database.put(twice), (Said{PARTITA_OK, 200, "{}"}));
  EXPECT_TRUE(database.call("Scan", R"({"TableName":"Music"})").body.contains(R"("X":{"S":"last"})"));
}

TEST(Library, RefusesValuesThatCannotBeRead) {
  const Database database;
  ASSERT_EQ(database.call("CreateTable", kMusic).status, 200);
  const partita_attribute artist = text("Artist", "Acme");
  const auto refused = [&](const partita_attribute& one) {
    return database.put({artist, one}).code == PARTITA_INVALID;
  };
  EXPECT_TRUE(refused(text("X", "x", 0)));
  EXPECT_TRUE(refused(text("X", "x", 11)));
  EXPECT_TRUE(refused(text("X", "\xff")));
  EXPECT_TRUE(refused(text("\xff", "x")));
  EXPECT_TRUE(refused({PARTITA_STRING, 0, "X", 1, nullptr, 1, nullptr, 0}));
  EXPECT_TRUE(refused({PARTITA_STRING, 0, nullptr, 1, "x", 1, nullptr, 0}));
  EXPECT_TRUE(refused({PARTITA_STRING, 1, "X", 1, "x", 1, nullptr, 0}));
  EXPECT_TRUE(refused({PARTITA_BOOLEAN, 0, "X", 1, nullptr, 0, nullptr, 2}));
  EXPECT_TRUE(refused({PARTITA_LIST, 0, "X", 1, nullptr, 0, nullptr, 1}));
  EXPECT_TRUE(refused(holder("X", PARTITA_LIST, {text("named", "x")})));
  EXPECT_TRUE(refused(holder("X", PARTITA_NUMBER_SET, {text("", "x")})));
  EXPECT_TRUE(refused({PARTITA_STRING, 0, "X", 1, "x", SIZE_MAX, nullptr, 0}));
  partita_attribute circle{PARTITA_LIST, 0, nullptr, 0, nullptr, 0, nullptr, 1};
  circle.elements = &circle;
  EXPECT_TRUE(refused(holder("X", PARTITA_LIST, {circle})));
  std::array<partita_attribute, 2> wide{};
  wide.fill({PARTITA_LIST, 0, nullptr, 0, nullptr, 0, wide.data(), wide.size()});
  EXPECT_TRUE(refused({PARTITA_LIST, 0, "X", 1, nullptr, 0, wide.data(), wide.size()}));
  EXPECT_EQ(database.count(), 0);
}

TEST(Library, ReturnsToSnapshots) {
  const Database database;
  std::array<char, 256> why{};
  const auto code = [&](auto function, const char* name) {
    return function(database.db, name, why.data(), why.size());
  };
  ASSERT_EQ(database.call("CreateTable", kMusic).status, 200);
  EXPECT_EQ(code(partita_snapshot, "empty"), PARTITA_OK) << why.data();
  EXPECT_EQ(code(partita_snapshot, "empty"), PARTITA_REFUSED);
  EXPECT_TRUE(std::string_view(why.data()).contains("already")) << why.data();
  EXPECT_EQ(code(partita_snapshot, "no name"), PARTITA_REFUSED);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(database.call("PutItem", json_put("Acme")).status, 200);
    EXPECT_EQ(code(partita_rollback, "empty"), PARTITA_OK) << why.data();
    EXPECT_EQ(database.count(), 0);
  }
  EXPECT_EQ(code(partita_rollback, "none"), PARTITA_NOT_FOUND);
  EXPECT_STRNE(why.data(), "");
  EXPECT_EQ(code(partita_delete_snapshot, "empty"), PARTITA_OK);
  EXPECT_EQ(code(partita_delete_snapshot, "empty"), PARTITA_NOT_FOUND);
}

TEST(Library, MovesTheClock) {
  const Database database;
  ASSERT_EQ(database.call("CreateTable", kMusic).status, 200);
  ASSERT_EQ(database
                .call("UpdateTimeToLive", R"({"TableName":"Music","TimeToLiveSpecification":
    {"AttributeName":"Until","Enabled":true}})")
                .status,
            200);
  const auto until = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()) + 3600;
  ASSERT_EQ(database.call("PutItem", json_put("Acme", ",\"Until\":{\"N\":\"" + std::to_string(until) + "\"}")).status,
            200);
  EXPECT_EQ(partita_move_clock(database.db, 7'200'000, 0, nullptr, 0), PARTITA_OK);
  const auto ends = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (database.count() != 0 && std::chrono::steady_clock::now() < ends) usleep(1000);
  EXPECT_EQ(database.count(), 0);
  EXPECT_EQ(partita_move_clock(database.db, -253'402'300'700'000, 0, nullptr, 0), PARTITA_REFUSED);
  EXPECT_EQ(partita_move_clock(database.db, 0, 1, nullptr, 0), PARTITA_OK);
}

TEST(Library, IsCalledFromManyThreads) {
  const std::string path = folder();
  for (const std::string& place : {std::string(), path}) {
    const Database database(place);
    ASSERT_EQ(database.call("CreateTable", kMusic).status, 200);
    std::atomic<int> bad{0};
    const auto add = R"({"TableName":"Music","Key":{"Artist":{"S":"Acme"}},"UpdateExpression":"ADD Plays :one",
      "ExpressionAttributeValues":{":one":{"N":"1"}}})";
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 50; ++n) {
          if (database.call("UpdateItem", add).status != 200) ++bad;
          if (n % 25 == 0) partita_snapshot(database.db, "same", nullptr, 0);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(bad, 0);
    EXPECT_TRUE(database.call("Scan", R"({"TableName":"Music"})").body.contains(R"("Plays":{"N":"200"})"));
  }
  std::filesystem::remove_all(path);
}

std::string repeated(std::string_view text, int times) {
  std::string made;
  for (int i = 0; i < times; ++i) made += text;
  return made;
}

TEST(Library, IsCalledOnASmallStack) {
  const Database database;
  ASSERT_EQ(database.call("CreateTable", kMusic).status, 200);
  const auto nest = [](void* given) -> void* {
    const Database& of = *static_cast<const Database*>(given);
    const std::string open = repeated("(", 2000), close = repeated(")", 2000);
    of.call("Scan", R"({"TableName":"Music","FilterExpression":")" + open + "Artist = :a" + close +
                        R"(","ExpressionAttributeValues":{":a":{"S":"Acme"}}})");
    of.call("ExecuteStatement",
            R"({"Statement":"SELECT * FROM Music WHERE )" + open + open + "Artist = 'Acme'" + close + close + "\"}");
    return nullptr;
  };
  pthread_attr_t small;
  pthread_attr_init(&small);
  ASSERT_EQ(pthread_attr_setstacksize(&small, size_t{512} << 10), 0);
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &small, nest, const_cast<Database*>(&database)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&small);
  EXPECT_EQ(database.call("Scan", R"({"TableName":"Music"})").status, 200);
}

// How many threads of this process can, or cannot, handle a signal.
int threads(int signal, bool blocked) {
  int count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (!line.starts_with("SigBlk:")) continue;
      const uint64_t mask = std::stoull(line.substr(7), nullptr, 16);
      if ((mask >> (signal - 1) & 1) == (blocked ? 1U : 0U)) ++count;
    }
  }
  return count;
}
int threads_with(int signal) { return threads(signal, false); }
int threads_without(int signal) { return threads(signal, true); }

TEST(Library, LeavesTheProcessAlone) {
  struct sigaction before{};
  sigaction(SIGPIPE, nullptr, &before);
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  const std::string path = folder();
  {
    const Database database(path);
    EXPECT_EQ(database.call("CreateTable", kMusic).status, 200);
    EXPECT_EQ(database.call("PutItem", json_put("Acme")).status, 200);
  }
  {
    const Database database(path);
    EXPECT_EQ(database.count(), 1);
    EXPECT_GT(threads_without(SIGALRM), 2);
    EXPECT_EQ(threads_with(SIGALRM), 1);  // this one
  }
  std::filesystem::remove_all(path);
  struct sigaction after{};
  sigaction(SIGPIPE, nullptr, &after);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
  sigset_t mask_after;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_after);
  for (int signal = 1; signal < NSIG; ++signal) EXPECT_EQ(sigismember(&mask, signal), sigismember(&mask_after, signal));
}

TEST(Library, GivesLinesToTheLog) {
  struct Lines {
    std::atomic<int> count{0};
    std::string last;
  } lines;
  partita_set_log(
      [](void* context, int32_t, const char* line, size_t length) {
        auto& of = *static_cast<Lines*>(context);
        ++of.count;
        of.last.assign(line, length);
      },
      &lines);
  const Database database;
  EXPECT_EQ(partita_move_clock(database.db, 5'000, 0, nullptr, 0), PARTITA_OK);
  partita_set_log(nullptr, nullptr);
  EXPECT_GE(lines.count, 1);
  EXPECT_TRUE(lines.last.contains("The clock")) << lines.last;
  EXPECT_TRUE(lines.last.ends_with("\n"));
  const int told = lines.count;
  EXPECT_EQ(partita_move_clock(database.db, 5'000, 0, nullptr, 0), PARTITA_OK);
  EXPECT_EQ(lines.count, told);
}

TEST(Library, IsNotForTheChildOfAFork) {
  Database database;
  ASSERT_EQ(database.call("CreateTable", kMusic).status, 200);
  const pid_t child = fork();
  if (child == 0) {
    const bool refused = database.call("ListTables", "{}").code == PARTITA_FORKED &&
                         Database().opened == PARTITA_FORKED &&
                         partita_rollback(database.db, "x", nullptr, 0) == PARTITA_FORKED;
    partita_close(database.db);
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(database.call("ListTables", "{}").status, 200);
}

// At the fork, a thread of the parent may be in the function that gets the lines.
TEST(Library, ChangesNoLogInTheChildOfAFork) {
  pid_t child = -1;
  partita_set_log(
      [](void* context, int32_t, const char*, size_t) {
        auto& forked = *static_cast<pid_t*>(context);
        if (forked >= 0 || (forked = fork()) != 0) return;
        partita_set_log(nullptr, nullptr);
        _exit(0);
      },
      &child);
  const Database database;
  EXPECT_EQ(partita_move_clock(database.db, 5'000, 0, nullptr, 0), PARTITA_OK);
  partita_set_log(nullptr, nullptr);
  ASSERT_GT(child, 0);
  const auto ends = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  int status = 1;
  pid_t ended = 0;
  while ((ended = waitpid(child, &status, WNOHANG)) == 0 && std::chrono::steady_clock::now() < ends) usleep(1000);
  if (ended == 0) kill(child, SIGKILL);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(Library, SaysItsVersion) {
  EXPECT_EQ(partita_abi(), uint32_t{PARTITA_ABI});
  EXPECT_STRNE(partita_version(), "");
}

}  // namespace
