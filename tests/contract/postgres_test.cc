// What the engine on PostgreSQL does when PostgreSQL dies, and what merging brings.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <new>
#include <thread>

#include "base/check.h"
#include "contract.h"
#include "cutting_proxy.h"
#include "engines/postgres/postgres_engine.h"
#include "postgres_cluster.h"

namespace partita::contract {
namespace {

using namespace storage;
using namespace std::chrono_literals;

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
        const auto begin = std::chrono::steady_clock::now();
        const std::vector<Key> keys{key(name)};
        const auto outcome = wait_for(engine->transact(keys, {}, add_one(name)));
        if (outcome.ok()) ++acknowledged[t];
        if (!outcome.ok()) ++unknown;
        const auto took = std::chrono::steady_clock::now() - begin;
        const int64_t took_ms = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
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
  std::string url = PostgresCluster::shared().new_store();
  const std::string behind = cluster.directory().string();
  url.replace(url.find(behind), behind.size(), directory.path().string());
  const auto engine = open(url);
  int count = 0;
  for (const Cut what : {Cut::kNothing, Cut::kAnswer, Cut::kCommit, Cut::kAnswer, Cut::kNothing, Cut::kCommit}) {
    proxy.cut(what);
    EXPECT_EQ(transact(*engine, {"k"}, add_one("k")), Outcome::kCommitted);
    EXPECT_EQ(value_of(*engine, "k"), std::to_string(++count));
    EXPECT_EQ(read_log(*engine, "t").size(), static_cast<size_t>(count));
  }
  EXPECT_EQ(proxy.cuts(), 4);
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
  options.url = "postgresql://[";
  EXPECT_EQ(open_postgres_engine(options).error().kind(), ErrorKind::kInvalid);
}

// Updates of random keys a second, by that many callers at once.
double rate(Engine& engine, int callers) {
  constexpr auto kTime = 3s;
  std::atomic<int> done{0};
  std::atomic<int> running{callers};
  LoopThread loop;
  const auto end = std::chrono::steady_clock::now() + kTime;
  std::function<void(uint64_t)> next = [&](uint64_t chance) {
    if (std::chrono::steady_clock::now() > end) {
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
