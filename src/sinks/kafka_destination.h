// Topics of Kafka as destinations of changes: docs/change-sinks.md.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "sinks/change_destination.h"
#include "sinks/kafka_producer.h"
#include "table/rows/sink_rows.h"

namespace partita::sinks {

// One producer carries all slices. What Kafka has not acknowledged when send() returns stays with the producer, which
// goes on with it, and is not given to it again.
class KafkaDestination final : public ChangeDestination {
 public:
  KafkaDestination(ChangeSettings settings, KafkaOptions options, std::stop_token hurry)
      : settings_(std::move(settings)), options_(std::move(options)), hurry_(std::move(hurry)) {}

  Result<void> prepare() override;
  Result<ChangesSent> send(size_t slice, std::span<const Change> changes, std::string& state) override;
  Result<ChangesSent> resend(size_t slice, std::span<const Change> changes) override;
  Result<void> finish() override;
  Limits limits() const override { return {.changes = 4'000, .bytes = size_t{2} << 20}; }
  std::string target() const override { return "topic " + options_.topic; }

 private:
  struct Sent {
    std::shared_ptr<KafkaMessage> message = {};  // null: it was not given to the producer
    int refusal = 0;                             // rd_kafka_resp_err_t of the producer itself
    std::string reason = {};                     // why it is never sent
  };
  using SentChanges = std::map<storage::Position, Sent>;
  struct Slice {
    std::shared_ptr<KafkaProducer> producer;
    SentChanges sent;
    bool alone = false;  // a request was too large: each record has one of its own from now on
  };

  Result<std::shared_ptr<KafkaProducer>> producer(bool alone);
  Result<std::shared_ptr<KafkaProducer>> make_producer(bool alone) const;
  void forget_producer(const std::shared_ptr<KafkaProducer>& broken);
  Result<ChangesSent> deliver(Slice& slice, size_t number, std::span<const Change> changes);
  static bool has_ended(const Slice& slice, const Sent& sent);
  static int error_of(const Slice& slice, const Sent& sent);
  bool give(Slice& slice, size_t number, const Change& change) const;
  void await(Slice& slice, std::span<const Change> changes, int64_t until_ns) const;
  ChangesSent outcome(Slice& slice, std::span<const Change> changes) const;

  const ChangeSettings settings_;
  const KafkaOptions options_;
  const std::stop_token hurry_;
  Mutex mutex_;
  std::array<std::shared_ptr<KafkaProducer>, 2> producers_ PARTITA_GUARDED_BY(mutex_);  // by `alone`
  std::array<Slice, table::kSinkSlices> slices_;  // each of the thread of its slice
};

}  // namespace partita::sinks
