// What the engine on PostgreSQL does when PostgreSQL dies, and what merging brings.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <iostream>
#include <new>
#include <thread>

#include "base/check.h"
#include "base/thread.h"
#include "contract.h"
#include "cutting_proxy.h"
#include "engines/postgres/postgres_engine.h"
#include "postgres_cluster.h"

namespace {

constexpr char kSlowName[] = "slow.invalid";
constexpr auto kSlowness = std::chrono::milliseconds(5'000);
std::atomic<bool> name_server_is_slow{false};
std::atomic<int> slow_lookups{0};

}  // namespace

// Before the C library's own, for libpq too.
extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
  if (name != nullptr && std::string_view(name) == kSlowName) {
    if (name_server_is_slow) {
      ++slow_lookups;
      std::this_thread::sleep_for(kSlowness);
    }
    return EAI_NONAME;
  }
  static const auto real = reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
  return real(name, service, hints, found);
}

namespace partita::contract {
namespace {

using namespace storage;
using namespace std::chrono_literals;
using Strings = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

int64_t ms_since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
}

std::unique_ptr<Engine> open(const std::string& url, size_t merged = 256) {
  PostgresOptions options;
  options.url = url;
  options.merged = merged;
  auto engine = open_postgres_engine(options);
  EXPECT_TRUE(engine.ok()) << engine.error().sentence();
  return std::move(engine).value();
}

Decide add_one(const std::string& name) {
  return [name](std::span<const Record* const> found, Changes& changes) {
    const int count = found[0] == nullptr ? 0 : std::stoi(found[0]->value);
    changes.put(key(name), std::to_string(count + 1));
    changes.append("t", name);
    return Decision::kCommit;
  };
}

// Each transaction counts exactly when it was acknowledged, though some of their answers are lost on their way.
TEST(Postgres, ItsDeathLosesNothingAndDoublesNothing) {
  PostgresCluster cluster;
  const auto engine = open(cluster.new_store());
  std::atomic<bool> finished{false};
  std::atomic<int> unknown{0};
  std::atomic<int64_t> longest_ms{0};
  std::vector<int> acknowledged(8);
  std::vector<std::thread> clients;
  for (size_t t = 0; t < acknowledged.size(); ++t) {
    clients.emplace_back([&, t] {
      const std::string name = "k" + std::to_string(t % 5);
      while (!finished) {
        const auto begin = Clock::now();
        const std::vector<Key> keys{key(name)};
        const auto outcome = wait_for(engine->transact(keys, {}, add_one(name)));
        if (outcome.ok()) ++acknowledged[t];
        if (!outcome.ok()) ++unknown;
        const int64_t took_ms = ms_since(begin);
        for (int64_t most = longest_ms; took_ms > most && !longest_ms.compare_exchange_weak(most, took_ms);) {
        }
      }
    });
  }
  for (uint64_t deaths = setting("PARTITA_DEATHS", 5); deaths > 0; --deaths) {
    std::this_thread::sleep_for(300ms);
    cluster.kill();
    cluster.start();
  }
  std::this_thread::sleep_for(300ms);
  finished = true;
  for (std::thread& client : clients) client.join();
  int total = 0;
  for (const int count : acknowledged) total += count;
  int stored = 0;
  for (int k = 0; k < 5; ++k) stored += std::stoi(value_of(*engine, "k" + std::to_string(k)).value_or("0"));
  EXPECT_EQ(unknown, 0);
  EXPECT_EQ(stored, total);
  EXPECT_EQ(read_log(*engine, "t").size(), static_cast<size_t>(total));
  std::cout << total << " acknowledged, longest stall " << longest_ms << " ms\n";
}

// Whether a commit whose answer is lost has happened is found out: it counts once, either way.
TEST(Postgres, ACommitWhoseAnswerIsLostIsSettled) {
  const PostgresCluster& cluster = PostgresCluster::shared();
  const TempDirectory directory;
  CuttingProxy proxy(directory.path(), cluster.directory());
  const auto engine = open(proxy.between(PostgresCluster::shared().new_store()));
  int count = 0;
  for (const Cut what : {Cut::kNothing, Cut::kAnswer, Cut::kCommit, Cut::kAnswer, Cut::kNothing, Cut::kCommit}) {
    proxy.cut(what);
    EXPECT_EQ(transact(*engine, {"k"}, add_one("k")), Outcome::kCommitted);
    EXPECT_EQ(value_of(*engine, "k"), std::to_string(++count));
    EXPECT_EQ(read_log(*engine, "t").size(), static_cast<size_t>(count));
  }
  EXPECT_EQ(proxy.cuts(), 4);
}

// What ends each server that it is sent to is not sent for ever, and takes nobody along.
TEST(Postgres, WhatNoServerSurvivesIsGivenUp) {
  const PostgresCluster& cluster = PostgresCluster::shared();
  const TempDirectory directory;
  const CuttingProxy proxy(directory.path(), cluster.directory());
  const auto engine = open(proxy.between(PostgresCluster::shared().new_store()));
  const Decide poison = [](auto, Changes& changes) {
    changes.put(key("k"), kPoison);
    return Decision::kCommit;
  };
  std::vector<std::thread> others;
  for (const char* name : {"1", "2", "3", "4"}) {
    others.emplace_back([&, name] {
      for (int i = 0; i < 20; ++i) put(*engine, name, "v");
      EXPECT_EQ(value_of(*engine, name), "v");
    });
  }
  EXPECT_EQ(wait_for(engine->transact({key("k")}, {}, poison)).error().kind(), ErrorKind::kUnavailable);
  const std::vector<Key> poisoned{key(kPoison)};
  EXPECT_EQ(wait_for(engine->read(poisoned)).error().kind(), ErrorKind::kUnavailable);
  for (std::thread& other : others) other.join();
  EXPECT_EQ(value_of(*engine, "k"), std::nullopt);
}

// One that was lost twice and is tried by itself has nothing behind it on its connection.
TEST(Postgres, WhatNoServerSurvivesTakesNoReadAlong) {
  const PostgresCluster& cluster = PostgresCluster::shared();
  const TempDirectory directory;
  const CuttingProxy proxy(directory.path(), cluster.directory());
  PostgresOptions options;
  options.url = proxy.between(PostgresCluster::shared().new_store());
  options.writers = options.readers = 1;
  const auto engine = std::move(open_postgres_engine(options)).value();
  for (const char* name : {"1", "2", "3", "4"}) put(*engine, name, "v");
  std::atomic<bool> finished = false;
  std::vector<std::thread> others;
  for (const char* name : {"1", "2", "3", "4"}) {
    others.emplace_back([&, name] {
      const std::vector<Key> keys{key(name)};
      while (!finished) {
        const auto found = wait_for(engine->read(keys));
        EXPECT_TRUE(found.ok()) << found.error().sentence();
      }
    });
  }
  const std::vector<Key> poisoned{key(kPoison)};
  EXPECT_EQ(wait_for(engine->read(poisoned)).error().kind(), ErrorKind::kUnavailable);
  finished = true;
  for (std::thread& other : others) other.join();
}

// A role that does not rule the database, which is what a server should have. Its store is its own.
std::string store_of(const std::string& role) {
  std::string url = PostgresCluster::shared().new_store();
  const std::string schema = url.substr(url.rfind('D') + 1);
  PostgresCluster::execute(url, "CREATE ROLE " + role + " LOGIN");
  PostgresCluster::execute(url, "ALTER SCHEMA " + schema + " OWNER TO " + role);
  const std::string user = "user=partita";
  return url.replace(url.find(user), user.size(), "user=" + role);
}

TEST(Postgres, NeedsConnectionsOfBothKinds) {
  PostgresOptions options;
  options.url = store_of("limited");
  options.writers = options.readers = 1;
  const std::string rulers = PostgresCluster::shared().url();
  PostgresCluster::execute(rulers, "ALTER ROLE limited CONNECTION LIMIT 1");
  const auto engine = std::move(open_postgres_engine(options)).value();
  for (int i = 0; i < 1'000 && engine->health().ok(); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(engine->health().ok());
  PostgresCluster::execute(rulers, "ALTER ROLE limited CONNECTION LIMIT -1");
  put(*engine, "k", "1");
  EXPECT_EQ(value_of(*engine, "k"), "1");
  for (int i = 0; i < 1'000 && !engine->health().ok(); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(engine->health().ok());
}

// Reads go in company; what is wrong with one of their rows is nobody else's trouble.
TEST(Postgres, ARowThatCanNotBeReadFailsAlone) {
  const std::string url = store_of("ruled");
  const auto engine = open(url);
  const Strings names{"1", "2", "bad", "3", "4"};
  for (const std::string& name : names) put(*engine, name, name);
  PostgresCluster::execute(url, "ALTER TABLE partita_kv ENABLE ROW LEVEL SECURITY");
  PostgresCluster::execute(url, "ALTER TABLE partita_kv FORCE ROW LEVEL SECURITY");
  PostgresCluster::execute(url, "CREATE POLICY one ON partita_kv USING (p <> 'bad'::bytea OR 1 / (ver - ver) = 0)");
  LoopThread loop;
  std::atomic<size_t> left{names.size() * 20};
  std::deque<std::vector<Key>> keys;
  loop.post([&] {
    for (int round = 0; round < 20; ++round) {
      for (const std::string& name : names) {
        keys.push_back({key(name)});
        start(engine->read(keys.back()), [&, name](const Result<std::vector<std::optional<Record>>>& found) {
          EXPECT_EQ(found.ok(), name != "bad") << name;
          --left;
        });
      }
    }
  });
  while (left > 0) std::this_thread::sleep_for(1ms);
}

// The planner may believe for a while that a table is tiny, and must look keys up nevertheless.
TEST(Postgres, LooksKeysUpWhateverTheStatisticsSay) {
  const std::string url = PostgresCluster::shared().new_store();
  {
    put(*open(url), "a", "1");
  }
  for (const char* table : {"partita_kv", "partita_topic"}) {
    PostgresCluster::execute(url, "ALTER TABLE " + std::string(table) + " SET (autovacuum_enabled = false)");
    PostgresCluster::execute(url, "VACUUM ANALYZE " + std::string(table));
  }
  const Decide fill = [](auto, Changes& changes) {
    for (int i = 0; i < 3'000; ++i) changes.put(key("k" + std::to_string(i)), "v");
    for (int i = 0; i < 500; ++i) changes.append("t" + std::to_string(i), "e");
    return Decision::kCommit;
  };
  transact(*open(url), {}, fill);
  const int64_t before = PostgresCluster::entries_read(url);
  {
    const auto engine = open(url);
    for (int i = 0; i < 20; ++i) {
      const std::string name = "k" + std::to_string(i);
      transact(*engine, {name, "absent" + name},
               [&](auto found, Changes& changes) {
                 changes.put(key(name), found[0]->value + "w");
                 changes.put(key("blind" + name), "v");
                 changes.erase(key("k1" + name));
                 changes.erase(key("k1" + std::to_string(i) + "0"));
                 changes.append("t7", "e");
                 return Decision::kCommit;
               },
               {{key("a"), get(*engine, "a")->version}});
    }
  }
  EXPECT_LT(PostgresCluster::entries_read(url) - before, 20 * 60);
}

// A row that all commits of all servers compare, as a table's description is, is shared without a gap.
TEST(Postgres, WhatEverybodyComparesCanBeChanged) {
  const std::string url = PostgresCluster::shared().new_store();
  std::vector<std::unique_ptr<Engine>> engines;
  for (int i = 0; i < 4; ++i) engines.push_back(open(url));
  put(*engines[0], "description", "0");
  std::atomic<bool> finished{false};
  std::vector<std::thread> writers;
  for (size_t w = 0; w < 24; ++w) {
    writers.emplace_back([&, w] {
      Engine& own = *engines[w % engines.size()];
      const std::string name = std::to_string(w);
      const Decide write = [&](auto, Changes& changes) {
        changes.put(key(name), "v");
        return Decision::kCommit;
      };
      while (!finished) {
        const Version version = get(own, "description")->version;
        while (!finished && transact(own, {name}, write, {{key("description"), version}}) == Outcome::kCommitted) {
        }
      }
    });
  }
  int64_t longest_ms = 0;
  for (int i = 0; i < 6; ++i) {
    std::this_thread::sleep_for(100ms);
    const auto begin = Clock::now();
    put(*engines[0], "description", std::to_string(i));
    longest_ms = std::max(longest_ms, ms_since(begin));
  }
  finished = true;
  for (std::thread& writer : writers) writer.join();
  std::cout << "longest wait " << longest_ms << " ms\n";
  EXPECT_LT(longest_ms, 20'000);
}

// Two servers, each of which changes what the other only compares: neither waits for PostgreSQL to find that out.
TEST(Postgres, WhoComparesWhatTheOtherChangesWaitsInNoRing) {
  const std::string url = PostgresCluster::shared().new_store();
  std::array<int64_t, 2> longest_ms{};
  std::vector<std::thread> writers;
  for (const size_t w : {0u, 1u}) {
    writers.emplace_back([&, w] {
      const auto engine = open(url);
      const std::string own = w == 0 ? "a" : "b";
      for (int i = 0; i < 300; ++i) {
        const auto begin = Clock::now();
        const Decide write = [&](auto, Changes& changes) {
          changes.put(key(own), "v");
          return Decision::kCommit;
        };
        EXPECT_EQ(transact(*engine, {"a", "b"}, write), Outcome::kCommitted);
        longest_ms[w] = std::max(longest_ms[w], ms_since(begin));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_LT(std::max(longest_ms[0], longest_ms[1]), 800);
}

TEST(Postgres, SaysThatItIsGoneAndThatItIsBack) {
  PostgresCluster cluster;
  const auto engine = open(cluster.new_store());
  put(*engine, "k", "1");
  EXPECT_TRUE(engine->health().ok());
  cluster.kill();
  const auto becomes = [&](bool healthy) {
    for (int i = 0; i < 1'000 && engine->health().ok() != healthy; ++i) std::this_thread::sleep_for(10ms);
    return engine->health().ok() == healthy;
  };
  EXPECT_TRUE(becomes(false));
  EXPECT_EQ(engine->health().error().kind(), ErrorKind::kUnavailable);
  cluster.start();
  EXPECT_TRUE(becomes(true));
  EXPECT_EQ(value_of(*engine, "k"), "1");
}

Task<bool> runs_out(Engine& engine) {
  const std::vector<Key> keys{key("k")};
  const Decide decide = [](auto, Changes&) -> Decision { throw std::bad_alloc(); };
  try {
    EXPECT_FALSE((co_await engine.transact(keys, {}, decide)).ok());
  } catch (const std::bad_alloc&) {
    co_return true;
  }
  co_return false;
}

TEST(Postgres, MemoryThatRunsOutEndsOneTransaction) {
  const auto engine = open(PostgresCluster::shared().new_store());
  EXPECT_TRUE(wait_for(runs_out(*engine)));
  put(*engine, "k", "1");
  EXPECT_EQ(value_of(*engine, "k"), "1");
}

// A host that takes connections and never says a word; as one whose network is gone.
class MuteHost {
 public:
  MuteHost() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    PARTITA_CHECK(bind(socket_, any, size) == 0 && listen(socket_, 100) == 0 && getsockname(socket_, any, &size) == 0);
    port_ = ntohs(address.sin_port);
  }
  ~MuteHost() { close(socket_); }
  int port() const { return port_; }

 private:
  const int socket_;
  int port_ = 0;
};

TEST(Postgres, AHostThatSwallowsEverythingIsPassedOver) {
  const MuteHost mute;
  std::string url = PostgresCluster::shared().new_store();
  const size_t host = url.find("host=") + 5;
  url.insert(host, "127.0.0.1,");
  const auto engine = open(url + "&connect_timeout=2&port=" + std::to_string(mute.port()) + ",5432");
  put(*engine, "k", "1");
  EXPECT_EQ(value_of(*engine, "k"), "1");
}

// Whoever looks names up while the engine connects again keeps nobody waiting who is connected.
TEST(Postgres, ASlowNameServerHoldsNobodyUp) {
  std::string url = PostgresCluster::shared().new_store();
  url.insert(url.find("host=") + 5, std::string(kSlowName) + ",");
  const auto engine = open(url);
  put(*engine, "k", "1");
  std::this_thread::sleep_for(200ms);
  name_server_is_slow = true;
  PostgresCluster::execute(url + "&application_name=test",
                           "DO $$ BEGIN PERFORM pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity "
                           "WHERE application_name = 'partita' ORDER BY pid LIMIT 1) AS one; END $$");
  int64_t longest_ms = 0;
  for (const auto end = Clock::now() + kSlowness; Clock::now() < end;) {
    const auto begin = Clock::now();
    put(*engine, "k", "2");
    longest_ms = std::max(longest_ms, ms_since(begin));
    std::this_thread::sleep_for(5ms);
  }
  name_server_is_slow = false;
  EXPECT_GT(slow_lookups, 0);
  EXPECT_LT(longest_ms, 4'000);
}

TEST(Postgres, RefusesWhatANewerVersionMade) {
  const std::string url = PostgresCluster::shared().new_store();
  put(*open(url), "k", "1");
  EXPECT_EQ(value_of(*open(url), "k"), "1");
  PostgresCluster::execute(url, "UPDATE partita_meta SET format = 99");
  PostgresOptions options;
  options.url = url;
  const auto refused = open_postgres_engine(options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  EXPECT_NE(refused.error().sentence().find("has format 99, which this version does not know"), std::string_view::npos);
  for (const std::string& none : {std::string("postgresql://["), url + "&target_session_attrs=any"}) {
    options.url = none;
    EXPECT_EQ(open_postgres_engine(options).error().kind(), ErrorKind::kInvalid);
  }
}

// Functions of the database are no format: they are made anew.
TEST(Postgres, BringsTheFunctionsOfAnOlderVersionUpToDate) {
  const std::string url = PostgresCluster::shared().new_store();
  put(*open(url), "k", "1");
  PostgresCluster::execute(url, "DROP FUNCTION partita_erase; UPDATE partita_meta SET revision = 1");
  const auto engine = open(url);
  EXPECT_EQ(value_of(*engine, "k"), "1");
  ASSERT_TRUE(wait_for(engine->erase_range({"a", "z"})).ok());
  EXPECT_EQ(value_of(*engine, "k"), std::nullopt);
}

// Of a store that is to be there already: held when all is well.
Result<ExclusiveEngine> hold(const std::string& url) {
  PostgresOptions options;
  options.url = url;
  options.makes = false;
  return open_exclusive_postgres_engine(options);
}

// Its lock would be that of another schema, and servers of both might use it.
TEST(Postgres, TakesNoStoreOfALaterSchema) {
  const std::string url = PostgresCluster::shared().new_store();
  const std::string schema = url.substr(url.rfind('D') + 1);
  const std::string other = PostgresCluster::shared().new_store();
  const std::string first = other.substr(other.rfind('D') + 1);
  put(*open(url), "k", "1");
  PostgresOptions options;
  options.url = other + "," + schema;
  const std::string sentence = "There is a store in the schema " + schema + ", and " + first +
                               " comes before it in the search_path (" + first + "," + schema +
                               "): name the schema of the store alone, as in ?options=-csearch_path%3D" + schema + ".";
  const auto opened = open_postgres_engine(options);
  const auto held = hold(options.url);
  ASSERT_FALSE(opened.ok() || held.ok());
  EXPECT_EQ(opened.error().sentence(), sentence);
  EXPECT_EQ(held.error().sentence(), sentence);
  put(*open(other), "k", "2");
  EXPECT_EQ(value_of(*open(options.url), "k"), "2");
  EXPECT_EQ(value_of(*open(url), "k"), "1");
  // Names are as they are written.
  PostgresCluster::execute(url, "CREATE SCHEMA \"Od d\"");
  const std::string odd = PostgresCluster::shared().url() + "&options=-csearch_path%3D%22Od%5C%20d%22";
  put(*open(odd), "k", "3");
  EXPECT_EQ(value_of(*open(odd), "k"), "3");
}

TEST(Postgres, SaysThatItMayNotUseASchema) {
  const std::string url = store_of("barred");
  const std::string schema = url.substr(url.rfind('D') + 1);
  PostgresCluster::execute(PostgresCluster::shared().url(), "ALTER SCHEMA " + schema + " OWNER TO partita");
  const auto refused = hold(url);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence().find("(" + schema + ") the database has none that this user may use"),
            std::string_view::npos)
      << refused.error().sentence();
}

// Found in an older version, and gone before its functions were brought up to date.
TEST(Postgres, MakesNothingOfAStoreThatGoesMeanwhile) {
  const std::string url = PostgresCluster::shared().new_store();
  put(*open(url), "k", "1");
  PostgresCluster::execute(url, "UPDATE partita_meta SET revision = 1");
  const std::string lock =
      "WHERE locktype = 'advisory' AND objsubid = 1 AND classid = 7237133814 >> 32 AND "
      "objid::bigint = (7237133814 & 4294967295) AND ";
  const auto until = [&](const std::string& what) {
    return "WHILE NOT EXISTS (SELECT FROM pg_locks " + lock + what + ") LOOP PERFORM pg_sleep(0.01); END LOOP; ";
  };
  std::thread dropping([&] {
    PostgresCluster::execute(url, "DO $$ BEGIN PERFORM pg_advisory_xact_lock(7237133814); " + until("NOT granted") +
                                      "DROP TABLE partita_meta; END $$");
  });
  PostgresCluster::execute(url, "DO $$ BEGIN " + until("granted") + "END $$");
  const auto refused = hold(url);
  dropping.join();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  EXPECT_NE(refused.error().sentence().find("There is no store in the database"), std::string_view::npos);
  PostgresCluster::execute(url, "CREATE TABLE partita_meta ()");
}

TEST(Postgres, IsNotOpenedWithoutThreads) {
  PostgresOptions options;
  options.url = PostgresCluster::shared().new_store();
  {
    const ThreadStartFailure none;
    const auto opened = open_postgres_engine(options);
    ASSERT_FALSE(opened.ok());
    EXPECT_TRUE(is_thread_refusal(opened.error()));
  }
  EXPECT_TRUE(open_postgres_engine(options).ok());
}

// Updates of random keys a second, by that many callers at once.
double rate(Engine& engine, int callers) {
  constexpr auto kTime = 3s;
  std::atomic<int> done{0};
  std::atomic<int> running{callers};
  LoopThread loop;
  const auto end = Clock::now() + kTime;
  std::function<void(uint64_t)> next = [&](uint64_t chance) {
    if (Clock::now() > end) {
      --running;
      return;
    }
    const std::string name = "key" + std::to_string(splitmix64(chance) % 10'000);
    const std::vector<Key> keys{key(name)};
    const Decide decide = [name](auto, Changes& changes) {
      changes.put(key(name), std::string(100, 'v'));
      return Decision::kCommit;
    };
    start(engine.transact(keys, {}, decide), [&, chance](const Result<Outcome>& outcome) {
      EXPECT_TRUE(outcome.ok());
      ++done;
      next(chance);
    });
  };
  loop.post([&] {
    for (int i = 0; i < callers; ++i) next(static_cast<uint64_t>(i));
  });
  while (running > 0) std::this_thread::sleep_for(10ms);
  return done / std::chrono::duration<double>(kTime).count();
}

// A measurement, on a PostgreSQL that flushes.
TEST(Postgres, DISABLED_RateOfSingleUpdates) {
  PostgresCluster cluster(true);
  const std::string url = cluster.new_store();
  for (const int callers : {1, 16, 64, 256}) {
    for (const size_t merged : {1u, 256u}) {
      const auto engine = open(url, merged);
      std::cout << callers << " callers, " << merged << " merged: " << rate(*engine, callers) << "/s\n";
    }
  }
}

}  // namespace
}  // namespace partita::contract
