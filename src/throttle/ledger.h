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
  uint64_t heartbeat = 0;  // changes while the server lives and is not alone
  // The server uses at most this fraction of each bucket: 1/divisor. 0: nothing yet.
  uint32_t divisor = 0;
  bool operator==(const Member&) const = default;
};
using Members = std::vector<Member>;

// Stands for all servers of a list that cannot be read. It keeps the whole capacity until its lease ends, as a killed
// server does.
inline constexpr Member kUnknownServers{0, 0, 1};

struct BucketId {
  uint32_t table = 0;
  uint16_t index = 0;
  bool write = false;
  auto operator<=>(const BucketId&) const = default;
};

// Of a server that is short of units: those that it admitted or refused within a period.
struct Demand {
  ServerId id = 0;
  model::HalfUnits used = 0;
  bool operator==(const Demand&) const = default;
};

// The units that no server holds, not negative. A pool without a row is full.
struct Pool {
  model::HalfUnits level = 0;
  std::vector<Demand> demands;
  uint64_t revision = 0;  // of the newest description of the table that any server has seen
  // Of a rate that grows with the load, else 0: the greatest that any server has reached, in units, and the half units
  // that servers have reported as consumed since there is this row.
  int64_t per_second = 0;
  model::HalfUnits consumed = 0;
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
struct BucketState {
  model::HalfUnits level = 0;     // negative: a debt
  int64_t per_second = 1;         // of the whole table, in units
  int64_t depth_ns = 0;           // what one server alone may keep, at that rate
  model::HalfUnits used = 0;      // admitted or refused for lack of units, ever
  uint64_t revision = 0;          // of the description that says so
  int64_t least_per_second = 0;   // of a rate that grows with the load: where it begins; 0: it does not grow
  model::HalfUnits consumed = 0;  // admitted, ever
};

// What one of `divisor` servers may keep, at its own rate.
int64_t divided_depth_ns(int64_t depth_ns, uint32_t divisor);
model::HalfUnits depth_of(const BucketState& bucket, uint32_t divisor);
model::HalfUnits pool_depth_of(const BucketState& bucket);

// The buckets of this server, as the ledger sees them.
class LedgerHost {
 public:
  virtual ~LedgerHost() = default;

  // From now on each bucket, also one that is made later, has this fraction of its rate and depth. The level stays, up
  // to the depth. 0: they admit nothing, and lose their units, but not their debts. A bucket that is made later holds
  // what it would have refilled with since the last call that raised the fraction; if that was to 1, it also holds what
  // the pool had.
  virtual void divide(uint32_t divisor) = 0;
  // Fills each bucket, also one that is made later.
  virtual void fill() = 0;
  // They admit nothing from that time on, until this is called with a later one.
  virtual void renew(int64_t until_ns) = 0;
  // Those that were used, in any order.
  virtual std::vector<BucketId> buckets() = 0;
  // Absent: the table or the index is not known here. Makes the bucket if necessary.
  virtual std::optional<BucketState> state(const BucketId& id) = 0;
  // Adds units, or takes them whatever the level is.
  virtual void add(const BucketId& id, model::HalfUnits units) = 0;
  // Of a bucket whose rate grows: it is at least this.
  virtual void raise(const BucketId& id, int64_t per_second) = 0;
  // Of a bucket whose rate grows: other servers have consumed that much more.
  virtual void add_load(const BucketId& id, model::HalfUnits units) = 0;
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

  // This server no longer takes part, and its units return to the pools. The host admits nothing. Absent: it is none of
  // the members. Without other members, no row is left. If the writes were not done, call it again with newer rows.
  std::optional<LedgerWrites> leave(const LedgerRows& rows);

  uint32_t divisor() const { return divisor_; }

 private:
  struct Heartbeat {
    uint64_t number;
    int64_t since_ns;
  };
  // Units on their way between a bucket and its pool, and what is reported there.
  struct Transfer {
    std::optional<model::HalfUnits> used_before;
    model::HalfUnits used = 0;       // in the last period
    model::HalfUnits to_pool = 0;    // taken out of the bucket, and not yet in the pool
    model::HalfUnits to_bucket = 0;  // to be put into the bucket when the writes are committed
    // How much a pool without a row holds: no more than it did before its table's units were raised.
    std::optional<model::HalfUnits> pool_depth;
    std::optional<model::HalfUnits> next_pool_depth;  // once the writes are committed
    // Of a rate that grows.
    std::optional<model::HalfUnits> reported;  // of what this server has consumed
    model::HalfUnits reporting = 0;            // with the writes
    std::optional<model::HalfUnits> counted;   // of the row's count
    int64_t counted_ns = 0;                    // when the count last changed
  };
  // What a server decides by whether it takes units or gives some.
  struct Need {
    model::HalfUnits level;
    model::HalfUnits depth;
    model::HalfUnits enough;
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
  void balance(const BucketId& id, BucketState bucket, const Pool* row, int64_t now_ns, LedgerWrites& writes);
  BucketState follow_growth(const BucketId& id, const BucketState& bucket, const Pool& row, int64_t now_ns);
  // True: the row is needed for it.
  bool report_growth(const BucketState& bucket, bool has_row, int64_t now_ns, Transfer& transfer, Pool& pool) const;
  bool take(const Need& need, Transfer& transfer, Pool& pool) const;
  void give(const BucketId& id, const Need& need, model::HalfUnits room, Transfer& transfer, Pool& pool);
  bool is_orphan(const BucketId& id, int64_t now_ns);

  const ServerId id_;
  LedgerHost& host_;
  uint32_t divisor_ = 0;       // in force here
  uint32_t next_divisor_ = 0;  // once the writes are committed
  bool fresh_ = true;          // never was a member
  bool fills_ = false;         // once the writes are committed, the buckets are full
  uint64_t heartbeat_ = 0;
  Members others_;                            // that live
  std::map<ServerId, Heartbeat> heartbeats_;  // of the others
  std::map<BucketId, Transfer> transfers_;
  std::map<BucketId, int64_t> orphans_;  // rows of no known table, and since when
  std::optional<int64_t> measured_ns_;
};

}  // namespace partita::throttle
