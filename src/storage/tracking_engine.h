// An engine that records which keys and topics are changed through it, so that a rollback need not compare everything.
#pragma once

#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/mutex.h"
#include "storage/engine.h"

namespace partita::storage {

// What may have changed since a point in time: a superset of what did change. Its memory is bounded.
struct ChangeSet {
  bool all = false;  // anything may have changed; the other members are not used
  std::unordered_set<std::string> keys;
  std::set<std::string> topics;
  size_t bytes = 0;  // approximate memory of keys and topics

  void add_key(const std::string& key);
  void add_topic(const std::string& topic);
  void add(const ChangeSet& other);
  void set_all() { *this = ChangeSet{.all = true, .keys = {}, .topics = {}, .bytes = 0}; }
};

class TrackingEngine : public Engine {
 public:
  // `base` must outlive it.
  explicit TrackingEngine(Engine& base) : base_(base) {}

  // Records changes in the argument from now on, as long as this object lives. Precondition: no call is in progress.
  void note(ChangeSet& changed);

  Task<Result<std::vector<std::optional<Record>>>> read(std::span<const Key> keys) override { return base_.read(keys); }
  Task<Result<Page>> scan(Range range, Direction direction, size_t max_records, size_t max_bytes) override {
    return base_.scan(std::move(range), direction, max_records, max_bytes);
  }
  Task<Result<Outcome>> transact(std::vector<Key> keys, std::vector<Compare> compare, Decide decide,
                                 Version* version) override;
  Task<Result<void>> erase_range(Range range) override;
  Task<Result<std::vector<LogEntry>>> read_log(std::string topic, Position after, size_t max_entries,
                                               size_t max_bytes) override {
    return base_.read_log(std::move(topic), after, max_entries, max_bytes);
  }
  Task<Result<Position>> log_end(std::string topic) override { return base_.log_end(std::move(topic)); }
  Task<Result<void>> trim_log(std::string topic, Position upto) override;
  Task<Result<void>> forget_log(std::string topic) override;
  Task<Result<std::vector<std::string>>> topics(std::string after, size_t most) override {
    return base_.topics(std::move(after), most);
  }
  Task<Result<void>> restore_log(std::string topic, std::vector<LogEntry> entries, Position end) override;
  bool has_room_for(const Position& end) const override { return base_.has_room_for(end); }
  Task<Result<uint64_t>> approximate_bytes(Range range) override { return base_.approximate_bytes(std::move(range)); }
  Limits limits() const override { return base_.limits(); }
  Result<void> health() const override { return base_.health(); }
  void report(Exposition& out) const override { base_.report(out); }

 private:
  void note(const Changes& changes);
  void note_topic(const std::string& topic);
  // Bounds the memory of all together.
  void bound() PARTITA_REQUIRES(mutex_);

  Engine& base_;
  Mutex mutex_;
  std::vector<ChangeSet*> notes_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::storage
