// What a sink to Kafka is told: its URL, its options, and the file of its credentials.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sinks/change_destination.h"

namespace partita::sinks {

// Settings of librdkafka by their names.
using KafkaSettings = std::vector<std::pair<std::string, std::string>>;

struct KafkaOptions {
  std::string brokers;  // HOST[:PORT],...; a port that is missing is 9092
  std::string topic;
  std::string compression = "none";
  bool tombstones =
      false;  // a removal is followed by an empty value, which a compacted topic takes for the end of a key

  // Error: kInvalid (reason 0), with one sentence that quotes nothing of the URL.
  static Result<KafkaOptions> parse(const ChangeSettings& settings);
};

// The settings in a file of credentials: lines NAME=VALUE; empty ones and those that begin with # are passed over.
// has_authority: the sink has an authority file, which asks for TLS. Error: kInvalid (reason 0) with a sentence that
// gives the number of the line, and quotes nothing of it: a line without a known name may be a secret.
Result<KafkaSettings> kafka_credentials(std::string_view text, bool has_authority = false);

}  // namespace partita::sinks
