// An idempotent producer of one topic, over librdkafka.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"
#include "base/result.h"
#include "sinks/kafka_options.h"
#include "sinks/librdkafka.h"

namespace partita::sinks {

// One or two records of a change. Only the producer's calls read and change it.
struct KafkaMessage {
  int waiting = 0;  // records without an outcome
  int error = 0;    // rd_kafka_resp_err_t of one that failed; 0: none
};

// Callable from any thread.
class KafkaProducer {
 public:
  // Does no I/O, but begins to connect. Error: kInvalid (reason 0), with a sentence: librdkafka is missing, or refuses
  // a setting.
  // `alone`: no request has more than one record. Brokers refuse a whole request that is larger than a topic allows a
  // record to be.
  static Result<std::unique_ptr<KafkaProducer>> create(const KafkaOptions& options, const KafkaSettings& credentials,
                                                       const std::string& authority_file, bool alone);
  // Forgets what has no outcome; brokers may have it all the same.
  ~KafkaProducer();
  KafkaProducer(const KafkaProducer&) = delete;
  KafkaProducer& operator=(const KafkaProducer&) = delete;

  // Whether there is such a topic. Blocks up to `timeout_ms`. Errors, with a sentence: kInvalid (there is none, or the
  // brokers refuse the credentials), kUnavailable.
  Result<void> find_topic(int timeout_ms);

  // Appends a record: `value` of nullptr data is an empty one, a tombstone. Zero, or why it was not taken:
  // RD_KAFKA_RESP_ERR__QUEUE_FULL (wait, and again) or an error of this record.
  int produce(const std::shared_ptr<KafkaMessage>& message, std::string_view key, std::string_view value);
  // Waits up to so long for outcomes of any messages.
  void wait(int timeout_ms);
  bool ended(const KafkaMessage& message);
  int error(const KafkaMessage& message);

  // Why nothing can be sent with it any more; empty: it can. Make another one then.
  std::string fatal();
  // The last trouble with brokers; empty: there was none, or something was taken since.
  std::string trouble();

 private:
  KafkaProducer() = default;

  static void delivered(rd_kafka_t* kafka, const rd_kafka_message_t* record, void* opaque);
  static void failed(rd_kafka_t* kafka, int error, const char* reason, void* opaque);

  rd_kafka_t* kafka_ = nullptr;
  rd_kafka_topic_t* topic_ = nullptr;
  std::string topic_name_;
  Mutex mutex_;
  std::unordered_map<KafkaMessage*, std::shared_ptr<KafkaMessage>> open_ PARTITA_GUARDED_BY(mutex_);  // that wait
  std::string trouble_ PARTITA_GUARDED_BY(mutex_);
  bool refused_ PARTITA_GUARDED_BY(mutex_) = false;  // by the brokers: who we are
};

}  // namespace partita::sinks
