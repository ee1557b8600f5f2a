#include "sinks/kafka_producer.h"

#include <array>
#include <utility>

namespace partita::sinks {

namespace {

constexpr size_t kReasonBytes = 512;

Error unavailable_kafka(std::string sentence) { return Error(ErrorKind::kUnavailable, std::move(sentence)); }

std::string kafka_text(int error) { return librdkafka().rd_kafka_err2str(static_cast<rd_kafka_resp_err_t>(error)); }

// It writes to stderr otherwise.
void log_nothing(const rd_kafka_t* /*kafka*/, int /*level*/, const char* /*facility*/, const char* /*text*/) {}

KafkaSettings kafka_settings(const KafkaOptions& options, const KafkaSettings& credentials,
                             const std::string& authority_file, bool alone) {
  KafkaSettings all = {
      {"bootstrap.servers", options.brokers},
      {"client.id", "partita"},
      {"enable.idempotence", "true"},
      // A record that was given up in between would let later ones of its item pass it.
      {"message.timeout.ms", "0"},
      {"partitioner", "murmur2_random"},  // as Kafka's own clients
      {"compression.codec", options.compression},
      {"linger.ms", "2"},
      {"message.max.bytes", "16777216"},        // what the brokers allow is less, or set so
      {"queue.buffering.max.kbytes", "16384"},  // of records that wait
      {"queue.buffering.max.messages", "100000"},
      {"topic.metadata.refresh.interval.ms", "30000"},
      {"reconnect.backoff.max.ms", "10000"},
      {"log_level", "0"},
      {"ssl.endpoint.identification.algorithm", "https"},  // the name in the certificate; older ones do not compare it
  };
  if (alone) all.emplace_back("batch.num.messages", "1");
  if (!authority_file.empty()) {
    all.emplace_back("ssl.ca.location", authority_file);
    all.emplace_back("security.protocol", "ssl");
  }
  all.insert(all.end(), credentials.begin(), credentials.end());
  return all;
}

}  // namespace

Result<std::unique_ptr<KafkaProducer>> KafkaProducer::create(const KafkaOptions& options,
                                                             const KafkaSettings& credentials,
                                                             const std::string& authority_file, bool alone) {
  PARTITA_TRY_VOID(load_librdkafka());
  const Librdkafka& library = librdkafka();
  std::unique_ptr<KafkaProducer> made(new KafkaProducer());
  made->topic_name_ = options.topic;
  std::array<char, kReasonBytes> reason{};
  rd_kafka_conf_t* const conf = library.rd_kafka_conf_new();
  for (const auto& [name, value] : kafka_settings(options, credentials, authority_file, alone)) {
    if (library.rd_kafka_conf_set(conf, name.c_str(), value.c_str(), reason.data(), reason.size()) ==
        RD_KAFKA_CONF_OK) {
      continue;
    }
    library.rd_kafka_conf_destroy(conf);
    // The reason may quote the value.
    return Error(ErrorKind::kInvalid, "librdkafka refuses the value of the setting " + name + ".");
  }
  library.rd_kafka_conf_set_opaque(conf, made.get());
  library.rd_kafka_conf_set_dr_msg_cb(conf, &KafkaProducer::delivered);
  library.rd_kafka_conf_set_error_cb(conf, &KafkaProducer::failed);
  library.rd_kafka_conf_set_log_cb(conf, &log_nothing);
  made->kafka_ = library.rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason.data(), reason.size());
  if (made->kafka_ == nullptr) {
    library.rd_kafka_conf_destroy(conf);
    return Error(ErrorKind::kInvalid, "librdkafka cannot begin: " + std::string(reason.data()) + ".");
  }
  made->topic_ = library.rd_kafka_topic_new(made->kafka_, options.topic.c_str(), nullptr);
  if (made->topic_ == nullptr) {
    return Error(ErrorKind::kInvalid, "librdkafka refuses the topic " + options.topic + ".");
  }
  return made;
}

KafkaProducer::~KafkaProducer() {
  const Librdkafka& library = librdkafka();
  if (topic_ != nullptr) library.rd_kafka_topic_destroy(topic_);
  if (kafka_ == nullptr) return;
  library.rd_kafka_purge(kafka_, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  library.rd_kafka_poll(kafka_, 0);
  library.rd_kafka_destroy_flags(kafka_, 0);
}

void KafkaProducer::delivered(rd_kafka_t* /*kafka*/, const rd_kafka_message_t* record, void* opaque) {
  auto* const producer = static_cast<KafkaProducer*>(opaque);
  auto* const message = static_cast<KafkaMessage*>(record->_private);
  const MutexLock lock(producer->mutex_);
  if (record->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    message->error = record->err;
  } else {
    producer->trouble_.clear();
  }
  if (--message->waiting == 0) producer->open_.erase(message);
}

void KafkaProducer::failed(rd_kafka_t* /*kafka*/, int error, const char* reason, void* opaque) {
  auto* const producer = static_cast<KafkaProducer*>(opaque);
  const MutexLock lock(producer->mutex_);
  producer->trouble_ = "Kafka: " + std::string(reason) + ".";
  producer->refused_ = error == RD_KAFKA_RESP_ERR__AUTHENTICATION;
}

Result<void> KafkaProducer::find_topic(int timeout_ms) {
  const Librdkafka& library = librdkafka();
  const struct rd_kafka_metadata* metadata = nullptr;
  const auto error = library.rd_kafka_metadata(kafka_, 0, topic_, &metadata, timeout_ms);
  library.rd_kafka_poll(kafka_, 0);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    const MutexLock lock(mutex_);
    const std::string sentence = trouble_.empty() ? "Kafka does not answer: " + kafka_text(error) + "." : trouble_;
    return Error(refused_ ? ErrorKind::kInvalid : ErrorKind::kUnavailable, sentence);
  }
  const int found = metadata->topic_cnt == 1 ? static_cast<int>(metadata->topics[0].err) : 0;
  library.rd_kafka_metadata_destroy(metadata);
  switch (found) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
      return {};
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
      return Error(ErrorKind::kInvalid, "Kafka has no topic " + topic_name_ + ".");
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
      return Error(ErrorKind::kInvalid, "Kafka does not let this user write to the topic " + topic_name_ + ".");
    default:
      return unavailable_kafka("The topic " + topic_name_ + " cannot be used yet: " + kafka_text(found) + ".");
  }
}

int KafkaProducer::produce(const std::shared_ptr<KafkaMessage>& message, std::string_view key, std::string_view value) {
  const Librdkafka& library = librdkafka();
  {
    const MutexLock lock(mutex_);
    if (message->waiting++ == 0) open_.emplace(message.get(), message);
  }
  const int done =
      library.rd_kafka_produce(topic_, RD_KAFKA_PARTITION_UA, RD_KAFKA_MSG_F_COPY, const_cast<char*>(value.data()),
                               value.size(), key.data(), key.size(), message.get());
  if (done == 0) return 0;
  const int error = library.rd_kafka_last_error();
  const MutexLock lock(mutex_);
  if (--message->waiting == 0) open_.erase(message.get());
  return error;
}

void KafkaProducer::wait(int timeout_ms) { librdkafka().rd_kafka_poll(kafka_, timeout_ms); }

bool KafkaProducer::ended(const KafkaMessage& message) {
  const MutexLock lock(mutex_);
  return message.waiting == 0;
}

int KafkaProducer::error(const KafkaMessage& message) {
  const MutexLock lock(mutex_);
  return message.error;
}

std::string KafkaProducer::fatal() {
  std::array<char, kReasonBytes> reason{};
  const auto error = librdkafka().rd_kafka_fatal_error(kafka_, reason.data(), reason.size());
  return error == RD_KAFKA_RESP_ERR_NO_ERROR ? std::string() : "Kafka: " + std::string(reason.data()) + ".";
}

std::string KafkaProducer::trouble() {
  const MutexLock lock(mutex_);
  return trouble_;
}

}  // namespace partita::sinks
