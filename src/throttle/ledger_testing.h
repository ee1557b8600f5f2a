// One bucket of a server for tests of the ledger, with a clock of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "throttle/divided_bucket.h"
#include "throttle/ledger.h"

namespace partita::throttle {

// What the servers know of the table.
struct Description {
  int64_t per_second;
  uint64_t revision;
};

inline constexpr BucketId kBucket{7, 0, true};

class OneBucketHost final : public LedgerHost {
 public:
  OneBucketHost(const Description& table, int64_t depth_ns, model::HalfUnits late_cost, const int64_t& now_ns)
      : late_cost_(late_cost), depth_ns_(depth_ns), now_ns_(now_ns) {
    share_.renew(INT64_MIN);
    share_.divide(0, now_ns_);
    change(table);
  }

  void change(const Description& table) {
    revision_ = table.revision;
    bucket_.set_rate(table.per_second, depth_ns_, share_, now_ns_);
  }
  // What the request costs; 0: it is refused.
  model::HalfUnits admit() {
    const model::HalfUnits late = ++requests_ % 8 == 0 ? late_cost_ : 0;
    used_ += 2 + late;
    if (bucket_.closed() == share_.is_valid(now_ns_)) bucket_.update(share_, now_ns_);
    int64_t wait_ns = 0;
    if (!bucket_.tokens.take(now_ns_, 2, wait_ns)) return 0;
    bucket_.tokens.charge(now_ns_, late);
    return 2 + late;
  }

  void divide(uint32_t divisor) override {
    share_.divide(divisor, now_ns_);
    bucket_.update(share_, now_ns_);
  }
  void renew(int64_t until_ns) override {
    share_.renew(until_ns);
    bucket_.update(share_, now_ns_);
  }
  void fill() override { bucket_.fill(share_, now_ns_); }
  std::vector<BucketId> buckets() override { return {kBucket}; }
  std::optional<BucketState> state(const BucketId&) override {
    BucketState state = bucket_.state(now_ns_);
    state.used = used_;
    state.revision = revision_;
    return state;
  }
  void add(const BucketId&, model::HalfUnits units) override { bucket_.add(units, now_ns_); }
  void raise(const BucketId&, int64_t) override {}
  void add_load(const BucketId&, model::HalfUnits) override {}
  bool serves() const { return share_.is_valid(now_ns_); }

 private:
  const model::HalfUnits late_cost_;
  const int64_t depth_ns_;
  const int64_t& now_ns_;
  CapacityShare share_;
  DividedBucket bucket_;
  model::HalfUnits used_ = 0;
  uint64_t requests_ = 0;
  uint64_t revision_ = 0;
};

}  // namespace partita::throttle
