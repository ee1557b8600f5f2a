#include "sinks/kafka_destination.h"

#include <algorithm>

#include "base/clock.h"
#include "sinks/change_json.h"
#include "sinks/secret_file.h"
#include "wire/json_writer.h"

namespace partita::sinks {

namespace {

constexpr int kTopicMs = 500;  // and again, for a stop waits for it
constexpr int kTopicTries = 20;
constexpr int kLookMs = 50;                    // at what has changed
constexpr int64_t kMostNs = 5'000 * kNsPerMs;  // for one call of send()

// An error of one record, which all brokers would give again.
bool is_of_record(int error) {
  return error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE || error == RD_KAFKA_RESP_ERR_INVALID_RECORD ||
         error == RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE || error == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE ||
         error == RD_KAFKA_RESP_ERR_POLICY_VIOLATION;
}

Result<std::string> key_json(const Change& change) {
  wire::JsonWriter json;
  PARTITA_TRY_VOID(json.write_encoded_item(change.record.keys));
  return std::move(json).take();
}

}  // namespace

Result<std::shared_ptr<KafkaProducer>> KafkaDestination::make_producer() const {
  KafkaSettings credentials;
  if (!settings_.credentials_file.empty()) {
    PARTITA_TRY(const std::string text, read_secret_file(settings_.credentials_file, "The credentials in"));
    PARTITA_TRY(credentials, kafka_credentials(text));
  }
  PARTITA_TRY(auto made, KafkaProducer::create(options_, credentials, settings_.authority_file));
  return std::shared_ptr<KafkaProducer>(std::move(made));
}

Result<std::shared_ptr<KafkaProducer>> KafkaDestination::producer() {
  const MutexLock lock(mutex_);
  if (producer_ == nullptr) {
    PARTITA_TRY(producer_, make_producer());
  }
  return producer_;
}

void KafkaDestination::forget_producer(const std::shared_ptr<KafkaProducer>& broken) {
  const MutexLock lock(mutex_);
  if (producer_ == broken) producer_.reset();
}

Result<void> KafkaDestination::prepare() {
  PARTITA_TRY(const auto producer, this->producer());
  auto found = producer->find_topic(kTopicMs);
  for (int i = 1; i < kTopicTries && !found.ok() && found.error().kind() == ErrorKind::kUnavailable; ++i) {
    if (hurry_.stop_requested()) break;
    found = producer->find_topic(kTopicMs);
  }
  if (!found.ok()) forget_producer(producer);  // the next one reads the credentials again
  return found;
}

Result<ChangesSent> KafkaDestination::send(size_t slice, std::span<const Change> changes, std::string& /*state*/) {
  return deliver(slices_.at(slice), slice, changes);
}

// They are older than what the slice's producer may still be sending, so they have messages of their own.
Result<ChangesSent> KafkaDestination::resend(size_t slice, std::span<const Change> changes) {
  Slice apart;
  PARTITA_TRY(apart.producer, make_producer());
  auto sent = deliver(apart, slice, changes);
  apart.producer.reset();
  return sent;
}

Result<ChangesSent> KafkaDestination::deliver(Slice& slice, size_t number, std::span<const Change> changes) {
  if (slice.producer != nullptr) {
    if (std::string why = slice.producer->fatal(); !why.empty()) {
      forget_producer(slice.producer);
      std::erase_if(slice.sent, [&](const auto& one) { return !has_ended(slice, one.second); });
      slice.producer.reset();
    }
  }
  if (slice.producer == nullptr) {
    PARTITA_TRY(slice.producer, producer());
  }
  const int64_t until_ns = system_clock().monotonic_ns() + kMostNs;
  slice.sent.erase(slice.sent.begin(), slice.sent.lower_bound(changes.front().position));
  for (const Change& change : changes) {
    if (slice.sent.contains(change.position)) continue;
    bool given = give(slice, number, change);
    while (!given && system_clock().monotonic_ns() < until_ns && !hurry_.stop_requested()) {
      slice.producer->wait(kLookMs);
      given = give(slice, number, change);
    }
    if (!given) break;
  }
  await(slice, changes, until_ns);
  return outcome(slice, changes);
}

// False: the queue is full.
bool KafkaDestination::give(Slice& slice, size_t number, const Change& change) const {
  const auto value = change_json(settings_, number, change);
  const auto key = key_json(change);
  Sent& sent = slice.sent[change.position];
  if (!value.ok() || !key.ok()) {
    sent.reason = value.ok() ? key.error().sentence() : value.error().sentence();
    return true;
  }
  sent.message = std::make_shared<KafkaMessage>();
  int error = slice.producer->produce(sent.message, *key, *value);
  if (error == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
    slice.sent.erase(change.position);
    return false;
  }
  if (error == 0 && options_.tombstones && change.record.event == table::StreamEvent::kRemove) {
    error = slice.producer->produce(sent.message, *key, {});
    while (error == RD_KAFKA_RESP_ERR__QUEUE_FULL && !hurry_.stop_requested()) {
      slice.producer->wait(kLookMs);
      error = slice.producer->produce(sent.message, *key, {});
    }
  }
  sent.refusal = error;
  return true;
}

bool KafkaDestination::has_ended(const Slice& slice, const Sent& sent) {
  return sent.message == nullptr || slice.producer->ended(*sent.message);
}

int KafkaDestination::error_of(const Slice& slice, const Sent& sent) {
  if (sent.message == nullptr) return 0;
  return sent.refusal != 0 ? sent.refusal : slice.producer->error(*sent.message);
}

void KafkaDestination::await(Slice& slice, std::span<const Change> changes, int64_t until_ns) const {
  for (const Change& change : changes) {
    const auto found = slice.sent.find(change.position);
    if (found == slice.sent.end()) return;
    while (!has_ended(slice, found->second)) {
      if (system_clock().monotonic_ns() >= until_ns || hurry_.stop_requested()) return;
      if (!slice.producer->fatal().empty()) return;
      slice.producer->wait(kLookMs);
    }
  }
}

ChangesSent KafkaDestination::outcome(Slice& slice, std::span<const Change> changes) const {
  ChangesSent result;
  std::set<std::string_view> held;  // items of which a record failed
  bool front = true;
  for (size_t i = 0; i < changes.size(); ++i) {
    const auto found = slice.sent.find(changes[i].position);
    if (found == slice.sent.end()) break;
    Sent& sent = found->second;
    if (!has_ended(slice, sent)) break;
    const int error = error_of(slice, sent);
    const bool fails = error != 0 && !is_of_record(error);
    if (fails) {
      held.insert(changes[i].key);
      if (result.trouble.empty()) {
        result.trouble = "Kafka did not take a record: " +
                         std::string(librdkafka().rd_kafka_err2str(static_cast<rd_kafka_resp_err_t>(error))) + ".";
      }
    }
    if (held.contains(changes[i].key)) {
      // It goes again, with all later ones of its item.
      slice.sent.erase(found);
      front = false;
      continue;
    }
    if (!front) continue;
    if (error != 0 && sent.reason.empty()) {
      sent.reason = "Kafka refuses the record: " +
                    std::string(librdkafka().rd_kafka_err2str(static_cast<rd_kafka_resp_err_t>(error))) + ".";
    }
    if (!sent.reason.empty()) result.rejections.push_back({.index = i, .reason = sent.reason});
    result.done = i + 1;
  }
  if (result.done == changes.size() || !result.trouble.empty()) return result;
  result.trouble = slice.producer->fatal();
  if (result.trouble.empty()) result.trouble = slice.producer->trouble();
  if (result.trouble.empty() && result.done == 0) result.trouble = "Kafka has not acknowledged the records yet.";
  return result;
}

// What is with the producer and has no outcome would reach Kafka behind what another server sends.
Result<void> KafkaDestination::finish() {
  for (Slice& slice : slices_) {
    slice.producer.reset();
    slice.sent.clear();
  }
  const MutexLock lock(mutex_);
  producer_.reset();
  return {};
}

Result<std::unique_ptr<ChangeDestination>> make_kafka_destination(const ChangeSettings& settings,
                                                                  std::stop_token hurry) {
  PARTITA_TRY(KafkaOptions options, KafkaOptions::parse(settings));
  PARTITA_TRY_VOID(load_librdkafka());
  return std::unique_ptr<ChangeDestination>(
      std::make_unique<KafkaDestination>(settings, std::move(options), std::move(hurry)));
}

}  // namespace partita::sinks
