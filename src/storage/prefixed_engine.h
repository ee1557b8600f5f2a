// A part of an engine's keys and logs that behaves like an engine: all keys and all topics that begin with a prefix.
// Two of them are disjoint if neither prefix begins with the other.
#pragma once

#include <string>

#include "storage/engine.h"

namespace partita::storage {

class PrefixedEngine : public Engine {
 public:
  // The longest topic name: kMaxTopicBytes less the prefix.
  size_t max_topic_bytes() const { return kMaxTopicBytes - topic_prefix_.size(); }

  // `base` must outlive it. Its limits must leave room for the prefix.
  PrefixedEngine(Engine& base, std::string prefix, std::string topic_prefix);

  Task<Result<std::vector<std::optional<Record>>>> read(std::span<const Key> keys) override;
  Task<Result<Page>> scan(Range range, Direction direction, size_t max_records, size_t max_bytes) override;
  Task<Result<Outcome>> transact(std::vector<Key> keys, std::vector<Compare> compare, Decide decide,
                                 Version* version) override;
  Task<Result<void>> erase_range(Range range) override;
  Task<Result<std::vector<LogEntry>>> read_log(std::string topic, Position after, size_t max_entries,
                                               size_t max_bytes) override;
  Task<Result<Position>> log_end(std::string topic) override;
  Task<Result<void>> trim_log(std::string topic, Position upto) override;
  Task<Result<void>> forget_log(std::string topic) override;
  Task<Result<std::vector<std::string>>> topics(std::string after, size_t most) override;
  Task<Result<void>> restore_log(std::string topic, std::vector<LogEntry> entries, Position end) override;
  Task<Result<uint64_t>> approximate_bytes(Range range) override;
  Limits limits() const override { return limits_; }
  Result<void> health() const override { return base_.health(); }

 private:
  void enter(Key& key) const;
  Range entered(Range range) const;
  // Adds the prefix to what a transaction's `decide` wrote. Error: kTooLarge.
  Result<void> enter(Changes& changes) const;

  Engine& base_;
  const std::string prefix_;
  const std::string topic_prefix_;
  const Limits limits_;
};

// Erases all topics that begin with the prefix.
Task<Result<void>> forget_logs(Engine& engine, std::string prefix);

}  // namespace partita::storage
