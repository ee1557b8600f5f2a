// A whole server but for its sockets: `ops::Service` over the engine in memory, with a few tables and items. It is
// given requests one after another, and watches what it answers.
//
// Every broken promise is a PARTITA_CHECK: a status other than 200 and 400, a reply that is no JSON, an error that is
// no row of the fault table, a refusal that changed an item, an index that is not what its items say, a table that
// does not come to rest.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "ops/service.h"
#include "service/json.h"
#include "storage/engine.h"
#include "table/open/database.h"

namespace partita::fuzz {

class WorldClock final : public Clock {
 public:
  int64_t now_ms() const override { return now_ms_; }
  int64_t monotonic_ns() const override { return now_ms_ * 1'000'000; }
  void advance_ms(int64_t by) { now_ms_ += by; }

 private:
  std::atomic<int64_t> now_ms_{1'700'000'000'000};
};

class World {
 public:
  World();
  ~World();

  // Each line is "Operation {body}", or "@wait MS", which moves the clock. A member "@ShardId" has the value that a
  // reply last gave under that name; so for some others. Returns the replies' statuses.
  std::vector<int> run(std::string_view program);
  // After the last request: everything comes to rest, and every index agrees with its table.
  void check_indexes();

 private:
  ops::Reply send(std::string_view operation, std::string_view body);
  // As above, for a request that must succeed.
  Json ask(std::string_view operation, const Json& body);
  void check_reply(const ops::Reply& reply);
  void remember(std::string_view body, std::string_view name);
  std::string recalled(std::string_view body) const;
  std::vector<std::string> tables();
  // The table's description, once neither it nor an index is on its way; null when it is gone.
  Json settled(const std::string& table);
  // All items of a table or (unless empty) of an index, sorted; nothing when it cannot be read in this moment.
  std::optional<std::vector<Json>> items(const std::string& table, std::string_view index);
  // All items of all tables, as text; nothing when a table cannot be read in this moment.
  std::optional<std::string> contents();
  void check_index(const std::vector<Json>& items, const Json& description, const Json& index);

  std::map<std::string, std::string> remembered_;
  WorldClock clock_;
  SeededRandom random_{1};
  std::unique_ptr<storage::Engine> engine_;
  std::unique_ptr<table::Database> database_;
  std::unique_ptr<ops::Service> service_;
};

}  // namespace partita::fuzz
