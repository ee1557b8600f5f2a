// Two engines over one store, as two servers have them: calls go to one and the other by turns.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "storage/engine.h"

namespace partita::contract {

class SpreadEngine final : public storage::Engine {
 public:
  SpreadEngine(std::unique_ptr<Engine> one, std::unique_ptr<Engine> other)
      : one_(std::move(one)), other_(std::move(other)) {}

  Task<Result<std::vector<std::optional<storage::Record>>>> read(std::span<const storage::Key> keys) override {
    return next().read(keys);
  }
  Task<Result<storage::Page>> scan(storage::Range range, storage::Direction direction, size_t max_records,
                                   size_t max_bytes) override {
    return next().scan(std::move(range), direction, max_records, max_bytes);
  }
  Task<Result<storage::Outcome>> transact(std::vector<storage::Key> keys, std::vector<storage::Compare> compare,
                                          storage::Decide decide, storage::Version* version) override {
    return next().transact(std::move(keys), std::move(compare), std::move(decide), version);
  }
  Task<Result<void>> erase_range(storage::Range range) override { return next().erase_range(std::move(range)); }
  Task<Result<std::vector<storage::LogEntry>>> read_log(std::string topic, storage::Position after, size_t max_entries,
                                                        size_t max_bytes) override {
    return next().read_log(std::move(topic), after, max_entries, max_bytes);
  }
  Task<Result<storage::Position>> log_end(std::string topic) override { return next().log_end(std::move(topic)); }
  Task<Result<void>> trim_log(std::string topic, storage::Position upto) override {
    return next().trim_log(std::move(topic), upto);
  }
  Task<Result<void>> forget_log(std::string topic) override { return next().forget_log(std::move(topic)); }
  Task<Result<std::vector<std::string>>> topics(std::string after, size_t most) override {
    return next().topics(std::move(after), most);
  }
  Task<Result<void>> restore_log(std::string topic, std::vector<storage::LogEntry> entries,
                                 storage::Position end) override {
    return next().restore_log(std::move(topic), std::move(entries), end);
  }
  Task<Result<uint64_t>> approximate_bytes(storage::Range range) override {
    return next().approximate_bytes(std::move(range));
  }
  storage::Limits limits() const override { return one_->limits(); }
  Result<void> health() const override { return one_->health(); }

 private:
  Engine& next() { return turn_.fetch_add(1) % 2 == 0 ? *one_ : *other_; }

  std::unique_ptr<Engine> one_;
  std::unique_ptr<Engine> other_;
  std::atomic<size_t> turn_{0};
};

}  // namespace partita::contract
