// How the servers of one store share the capacity of tables. Decisions only: this knows neither the store nor a clock.
//
// Let a bucket refill with R units a second and hold D. Each of N servers
// - refills a bucket of its own with R/N, which holds D/2N;
// - takes units from a pool that holds D/2, when it is short of them, and returns what it does not need.
// Units are made only by the servers' buckets, and moving them keeps their number. So all servers together never hold
// more than D, never refill more than R a second, and never admit more than D + R*w in a time of w seconds. The pool is
// a row of the store, which a server changes before it uses what it took, and after it gave up what it returns.
//
// N follows from a row that lists the servers (Members). A server that joins waits until the others have reduced their
// shares. A server proves every half second that it lives; one that does not for kLeaseNs has lost its share, which it
// knows by its own clock, and the others take it over. All units that it held count as spent.
//
//   LedgerParticipant participant(id, host);
//   const auto writes = participant.begin(rows as read, began_ns, ended_ns);   // reduces shares
//   if (writes) participant.end(outcome of writing them, tried_ns);            // raises them
//
// Times are those of a server's own monotonic clock; the clocks of servers are never compared.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/size.h"

namespace partita::throttle {

// How often a server looks at the ledger.
inline constexpr int64_t kLedgerPeriodNs = 500'000'000;
// How long a share is valid after it was last confirmed. Three periods, so two may fail.
inline constexpr int64_t kLeaseNs = 1'500'000'000;
// A server that serves all requests for a table gets the units of the others once in a period. So each bucket holds at
// least this at the rate of the table, and the pool what moves in two periods.
inline constexpr int64_t kLeastDepthNs = 750'000'000;
inline constexpr int64_t kLeastPoolNs = 2 * kLedgerPeriodNs;

using ServerId = uint64_t;

struct Member {
  ServerId id = 0;
  uint64_t beat = 0;  // changes while the server lives and is not alone
  // The server uses at most this fraction of each bucket: 1/divisor. 0: nothing yet.
  uint32_t divisor = 0;
  bool operator==(const Member&) const = default;
};
using Members = std::vector<Member>;

struct BucketId {
  uint32_t table = 0;
  uint16_t index = 0;
  bool write = false;
  auto operator<=>(const BucketId&) const = default;
};

// What a server lacks: the units that it admitted or refused within a period.
struct Want {
  ServerId id = 0;
  model::HalfUnits used = 0;
  bool operator==(const Want&) const = default;
};

// The units that no server holds. A pool without a row is full.
struct Pool {
  model::HalfUnits level = 0;
  std::vector<Want> wants;
  bool operator==(const Pool&) const = default;
};

struct LedgerRows {
  Members members;
  std::map<BucketId, Pool> pools;
};

struct LedgerWrites {
  Members members;
  std::map<BucketId, std::optional<Pool>> pools;  // nullopt: erase
};

// A bucket of this server.
struct Standing {
  model::HalfUnits level = 0;  // negative: a debt
  int64_t per_second = 1;      // of the whole table, in units
  int64_t depth_ns = 0;        // what one server alone may keep, at that rate
  model::HalfUnits used = 0;   // admitted or refused for lack of units, ever
};

// What one of `divisor` servers may keep, at its own rate.
int64_t divided_depth_ns(int64_t depth_ns, uint32_t divisor);
model::HalfUnits depth_of(const Standing& standing, uint32_t divisor);
model::HalfUnits pool_depth_of(const Standing& standing);

// The buckets of this server, as the ledger sees them.
class LedgerHost {
 public:
  virtual ~LedgerHost() = default;

  // From now on each bucket, also one that is made later, has this fraction of its rate and depth. The level stays, up
  // to the depth. 0: they admit nothing, and lose their units. A bucket that is made later holds what it would have
  // refilled with since the last call that raised the fraction; if that was to 1, it also holds what the pool had.
  virtual void divide(uint32_t divisor) = 0;
  // Fills each bucket, also one that is made later.
  virtual void fill() = 0;
  // They admit nothing from that time on, until this is called with a later one.
  virtual void renew(int64_t until_ns) = 0;
  // Those that were used, in any order.
  virtual std::vector<BucketId> buckets() = 0;
  // Absent: the table or the index is not known here. Makes the bucket if necessary.
  virtual std::optional<Standing> standing(const BucketId& id) = 0;
  // Adds units, or takes them whatever the level is.
  virtual void add(const BucketId& id, model::HalfUnits units) = 0;
};

enum class LedgerOutcome : uint8_t {
  kCommitted,
  kNotDone,  // nothing was written
  kUnknown,  // may or may not have been written
};

// One server. For one thread at a time. The host outlives it.
class LedgerParticipant {
 public:
  // `id` is unique among all that ever use the store.
  LedgerParticipant(ServerId id, LedgerHost& host) : id_(id), host_(host) {}

  // `rows`: from one snapshot, which was taken between the two times. Absent: nothing is to be written. Otherwise end()
  // follows. The writes are valid only if the row of the members is still as it was in `rows`.
  std::optional<LedgerWrites> begin(const LedgerRows& rows, int64_t began_ns, int64_t ended_ns);
  // `tried_ns`: when writing began.
  void end(LedgerOutcome outcome, int64_t tried_ns);

  // This server no longer takes part: the members without it, or nothing if it is none of them. The host admits
  // nothing.
  std::optional<Members> leave(const Members& members);

  uint32_t divisor() const { return divisor_; }

 private:
  struct Sight {
    uint64_t beat;
    int64_t since_ns;
  };
  struct Account {
    std::optional<model::HalfUnits> used_before;
    model::HalfUnits used = 0;       // in the last period
    model::HalfUnits returning = 0;  // taken out of the bucket, and not yet in the pool
    model::HalfUnits taking = 0;     // to be put into the bucket when the writes are committed
  };
  struct Local {
    model::HalfUnits level;
    model::HalfUnits depth;
    model::HalfUnits need;
    model::HalfUnits refill;  // in a period
    model::HalfUnits used;
  };

  Members live_others(const Members& members, int64_t began_ns, int64_t ended_ns);
  LedgerWrites join(const LedgerRows& rows);
  void measure(const LedgerRows& rows, int64_t now_ns);
  void put_back();
  void lower(uint32_t divisor);
  void take_all(const LedgerRows& rows, LedgerWrites& writes);
  // Of a server that was alone until now.
  void make_pools(LedgerWrites& writes);
  void balance(const LedgerRows& rows, int64_t now_ns, LedgerWrites& writes);
  void balance(const BucketId& id, const Standing& standing, const Pool* row, LedgerWrites& writes);
  bool take(const Local& local, Account& account, Pool& pool) const;
  void give(const BucketId& id, const Local& local, model::HalfUnits room, Account& account, Pool& pool);
  bool is_stranger(const BucketId& id, int64_t now_ns);

  const ServerId id_;
  LedgerHost& host_;
  uint32_t divisor_ = 0;       // in force here
  uint32_t next_divisor_ = 0;  // once the writes are committed
  bool fresh_ = true;          // never was a member
  bool fills_ = false;         // once the writes are committed, the buckets are full
  uint64_t beat_ = 0;
  Members others_;  // that live
  std::map<ServerId, Sight> sights_;
  std::map<BucketId, Account> accounts_;
  std::map<BucketId, int64_t> strangers_;  // rows of no known table, and since when
  std::optional<int64_t> measured_ns_;
};

}  // namespace partita::throttle
