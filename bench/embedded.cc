// What calls of libpartita cost, in one thread and without a server:
//
//   embedded [DIRECTORY [CALLS]]
//
// In memory without a directory. Items are of about 300 bytes. Prints a line of JSON for each kind of call: the time of
// the processor in the calling thread, the mean of all rounds and the least, and the time that passed, which is about
// the same in memory on an idle machine.
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "library/partita.h"

namespace {

constexpr size_t kItems = 10'000;
constexpr int kRounds = 10;

void must(bool holds, std::string_view why) {
  if (holds) return;
  std::fprintf(stderr, "embedded: %.*s\n", static_cast<int>(why.size()), why.data());
  std::exit(1);
}

void call(partita_db* db, const char* operation, std::string_view json) {
  partita_reply reply;
  must(partita_call(db, operation, json.data(), json.size(), &reply) == PARTITA_OK, operation);
  must(reply.status == 200, reply.body);
  partita_reply_free(&reply);
}

double now_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

template <class Call>
void measure(const char* name, size_t calls, Call one) {
  double least_ns = std::numeric_limits<double>::infinity();
  double sum_ns = 0;
  const size_t each = calls / kRounds;
  const double begins_ns = now_ns(CLOCK_MONOTONIC);
  for (int round = 0; round < kRounds; ++round) {
    const double round_begins_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
    for (size_t i = 0; i < each; ++i) one((i * 7919 + static_cast<size_t>(round)) % kItems);
    const double ns = (now_ns(CLOCK_THREAD_CPUTIME_ID) - round_begins_ns) / static_cast<double>(each);
    least_ns = std::min(least_ns, ns);
    sum_ns += ns;
  }
  const double passed_ns = (now_ns(CLOCK_MONOTONIC) - begins_ns) / static_cast<double>(each * kRounds);
  std::printf("{\"call\":\"%s\",\"cpu_ns\":%.0f,\"least_cpu_ns\":%.0f,\"passed_ns\":%.0f}\n", name, sum_ns / kRounds,
              least_ns, passed_ns);
}

std::string key_text(size_t i) { return "user-" + std::to_string(100'000 + i); }

struct Requests {
  std::vector<std::string> keys;
  std::vector<std::string> gets;
  std::vector<std::string> puts;
};

Requests requests() {
  Requests made;
  const std::string text(200, 'x');
  for (size_t i = 0; i < kItems; ++i) {
    const std::string key = key_text(i);
    made.keys.push_back(key);
    made.gets.push_back(R"({"TableName":"Bench","Key":{"pk":{"S":")" + key + "\"}}}");
    made.puts.push_back(R"({"TableName":"Bench","Item":{"pk":{"S":")" + key + R"("},"name":{"S":"Some Body"},)" +
                        R"("age":{"N":"42"},"active":{"BOOL":true},"text":{"S":")" + text + "\"}}}");
  }
  return made;
}

partita_attribute attribute(std::string_view name, uint32_t type, std::string_view data) {
  return {type, 0, name.data(), name.size(), data.data(), data.size(), nullptr, 0};
}

void get_typed(partita_db* db, const std::string& key) {
  const partita_attribute named = attribute("pk", PARTITA_STRING, key);
  partita_reply reply;
  must(partita_get_item(db, "Bench", &named, 1, 0, &reply) == PARTITA_OK && reply.item_count == 5, "GetItem");
  partita_reply_free(&reply);
}

void put_typed(partita_db* db, const std::string& key, std::string_view text) {
  std::array<partita_attribute, 5> item = {
      attribute("pk", PARTITA_STRING, key), attribute("name", PARTITA_STRING, "Some Body"),
      attribute("age", PARTITA_NUMBER, "42"), attribute("active", PARTITA_BOOLEAN, {}),
      attribute("text", PARTITA_STRING, text)};
  item[3].count = 1;
  partita_reply reply;
  must(partita_put_item(db, "Bench", item.data(), item.size(), &reply) == PARTITA_OK && reply.status == 200, "PutItem");
  partita_reply_free(&reply);
}

}  // namespace

int main(int count, char** words) {
  const size_t calls = count > 2 ? std::strtoul(words[2], nullptr, 10) : 500'000;
  const partita_options options{sizeof(partita_options), count > 1 ? words[1] : nullptr, nullptr, 0, 0};
  partita_db* db = nullptr;
  std::array<char, 512> why{};
  const partita_code opened = partita_open(&options, &db, why.data(), why.size());
  must(opened == PARTITA_OK, why.data());
  call(db, "CreateTable", R"({"TableName":"Bench","BillingMode":"PAY_PER_REQUEST",
    "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
    "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})");
  const Requests all = requests();
  const std::string text(200, 'x');
  for (const std::string& put : all.puts) call(db, "PutItem", put);
  measure("GetItem, JSON", calls, [&](size_t i) { call(db, "GetItem", all.gets[i]); });
  measure("GetItem, typed", calls, [&](size_t i) { get_typed(db, all.keys[i]); });
  measure("PutItem, JSON", calls, [&](size_t i) { call(db, "PutItem", all.puts[i]); });
  measure("PutItem, typed", calls, [&](size_t i) { put_typed(db, all.keys[i], text); });
  partita_close(db);
}
