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
constexpr int kLookMs = 50;                     // at what has changed
constexpr int64_t kMostNs = 5'000 * kNsPerMs;   // for one call of send()
constexpr int64_t kHurryNs = 1'000 * kNsPerMs;  // the same at a stop

// An error of one record, which all brokers would give again.
bool is_of_record(int error) {
  return error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE || error == RD_KAFKA_RESP_ERR_INVALID_RECORD ||
         error == RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE || error == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE ||
         error == RD_KAFKA_RESP_ERR_POLICY_VIOLATION;
}

std::string error_text(int error) {
  return std::string(librdkafka().rd_kafka_err2str(static_cast<rd_kafka_resp_err_t>(error))) + ".";
}

Result<std::string> key_json(const Change& change) {
  wire::JsonWriter json;
  PARTITA_TRY_VOID(json.write_encoded_item(change.record.keys));
  return std::move(json).take();
}

}  // namespace

Result<std::shared_ptr<KafkaProducer>> KafkaDestination::make_producer(bool alone) const {
  KafkaSettings credentials;
  if (!settings_.credentials_file.empty()) {
    PARTITA_TRY(const std::string text, read_secret_file(settings_.credentials_file, "The credentials in"));
    PARTITA_TRY(credentials, kafka_credentials(text, !settings_.authority_file.empty()));
  }
  PARTITA_TRY(auto made, KafkaProducer::create(options_, credentials, settings_.authority_file, alone));
  return std::shared_ptr<KafkaProducer>(std::move(made));
}

Result<std::shared_ptr<KafkaProducer>> KafkaDestination::producer(bool alone) {
  const MutexLock lock(mutex_);
  std::shared_ptr<KafkaProducer>& one = producers_.at(alone ? 1 : 0);
  if (one == nullptr) {
    PARTITA_TRY(one, make_producer(alone));
  }
  return one;
}

void KafkaDestination::forget_producer(const std::shared_ptr<KafkaProducer>& broken) {
  const MutexLock lock(mutex_);
  for (std::shared_ptr<KafkaProducer>& one : producers_) {
    if (one == broken) one.reset();
  }
}

Result<void> KafkaDestination::prepare() {
  PARTITA_TRY(const auto producer, this->producer(false));
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
  apart.alone = true;  // some of them may be letters because they are large
  PARTITA_TRY(apart.producer, make_producer(true));
  return deliver(apart, slice, changes);
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
    PARTITA_TRY(slice.producer, producer(slice.alone));
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
  const bool was_alone = slice.alone;
  auto result = outcome(slice, changes);
  if (slice.alone == was_alone || hurry_.stop_requested()) return result;
  return deliver(slice, number, changes);
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
    // The record itself had room, so it is full for a moment at most, unless the brokers are away.
    const int64_t until_ns = system_clock().monotonic_ns() + kMostNs;
    while (error == RD_KAFKA_RESP_ERR__QUEUE_FULL && system_clock().monotonic_ns() < until_ns) {
      if (hurry_.stop_requested()) break;
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

// At a stop too, for a moment: what is acknowledged then is not sent again.
void KafkaDestination::await(Slice& slice, std::span<const Change> changes, int64_t until_ns) const {
  bool hurries = false;
  for (const Change& change : changes) {
    const auto found = slice.sent.find(change.position);
    if (found == slice.sent.end()) return;
    while (!has_ended(slice, found->second)) {
      const int64_t now_ns = system_clock().monotonic_ns();
      if (!hurries && hurry_.stop_requested()) {
        hurries = true;
        until_ns = std::min(until_ns, now_ns + kHurryNs);
      }
      if (now_ns >= until_ns) return;
      if (!slice.producer->fatal().empty()) return;
      slice.producer->wait(kLookMs);
    }
  }
}

ChangesSent KafkaDestination::outcome(Slice& slice, std::span<const Change> changes) const {
  ChangesSent result;
  // What failed goes again with all later ones of its item, once nothing is under way that could arrive between them.
  const bool settled = std::ranges::all_of(slice.sent, [&](const auto& one) { return has_ended(slice, one.second); });
  std::set<std::string_view> held;  // items of which a record failed
  bool front = true;
  bool too_large = false;
  for (size_t i = 0; i < changes.size(); ++i) {
    const auto found = slice.sent.find(changes[i].position);
    if (found == slice.sent.end()) break;
    Sent& sent = found->second;
    if (!has_ended(slice, sent)) {
      front = false;
      continue;
    }
    const int error = error_of(slice, sent);
    const bool is_refused = error != 0 && is_of_record(error);
    if (is_refused && !slice.alone) too_large = true;
    if (error != 0 && (!is_refused || !slice.alone)) {
      held.insert(changes[i].key);
      if (result.trouble.empty() && !is_refused) result.trouble = "Kafka did not take a record: " + error_text(error);
    }
    front = front && !held.contains(changes[i].key);
    if (settled && held.contains(changes[i].key)) slice.sent.erase(found);
    if (!front) continue;
    if (is_refused) sent.reason = "Kafka refuses the record: " + error_text(error);
    if (!sent.reason.empty()) result.rejections.push_back({.index = i, .reason = sent.reason});
    result.done = i + 1;
  }
  if (settled && too_large) {
    slice.alone = true;
    slice.producer.reset();
    return result;
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
  producers_ = {};
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
