#include "sinks/kafka_options.h"

#include <algorithm>
#include <array>

#include "sinks/sink_hosts.h"

namespace partita::sinks {

namespace {

constexpr std::string_view kKafkaScheme = "kafka://";
constexpr size_t kMostTopic = 249;  // characters, as Kafka's own check of names says

// Not among them: settings that load libraries, run commands, or switch off the check of certificates.
constexpr std::array<std::string_view, 8> kCredentialNames = {
    "sasl.mechanism",    "sasl.mechanisms",          "sasl.password",    "sasl.username",
    "security.protocol", "ssl.certificate.location", "ssl.key.location", "ssl.key.password"};

Error invalid_kafka(std::string sentence) { return Error(ErrorKind::kInvalid, std::move(sentence)); }

bool is_topic(std::string_view name) {
  const auto is_char = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  return !name.empty() && name.size() <= kMostTopic && name != "." && name != ".." &&
         std::ranges::all_of(name, is_char);
}

bool are_brokers(std::string_view list) {
  while (true) {
    const size_t comma = std::min(list.find(','), list.size());
    if (!is_sink_host(list.substr(0, comma))) return false;
    if (comma == list.size()) return true;
    list.remove_prefix(comma + 1);
  }
}

std::string_view without_spaces(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r";
  const size_t first = std::min(text.find_first_not_of(kSpaces), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(kSpaces) + 1);
}

}  // namespace

Result<KafkaOptions> KafkaOptions::parse(const ChangeSettings& settings) {
  KafkaOptions taken;
  std::string_view rest = settings.url;
  if (rest.starts_with(kKafkaScheme)) rest.remove_prefix(kKafkaScheme.size());
  const size_t slash = std::min(rest.find('/'), rest.size());
  taken.brokers = rest.substr(0, slash);
  taken.topic = rest.substr(std::min(slash + 1, rest.size()));
  if (!are_brokers(taken.brokers) || !is_topic(taken.topic)) {
    return invalid_kafka(
        "The URL of a topic is kafka://HOST[:PORT][,HOST[:PORT]...]/TOPIC. A topic has 1 to 249 letters, digits, dots, "
        "underscores and hyphens.");
  }
  for (const auto& [name, value] : settings.options) {
    if (name == "tombstones") {
      if (value != "true" && value != "false") return invalid_kafka("The option tombstones is true or false.");
      taken.tombstones = value == "true";
    } else if (name == "compression") {
      constexpr std::array<std::string_view, 5> kKinds = {"none", "gzip", "snappy", "lz4", "zstd"};
      if (std::ranges::find(kKinds, value) == kKinds.end()) {
        return invalid_kafka("The option compression of Kafka is none, gzip, snappy, lz4 or zstd.");
      }
      taken.compression = value;
    } else {
      return invalid_kafka("Kafka has no option " + name + ": tombstones or compression.");
    }
  }
  return taken;
}

Result<KafkaSettings> kafka_credentials(std::string_view text, bool has_authority) {
  KafkaSettings found;
  std::string protocol;
  bool has_user = false;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = without_spaces(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      return invalid_kafka("Line " + std::to_string(number) + " of the credentials of Kafka is not NAME=VALUE.");
    }
    const std::string name(without_spaces(line.substr(0, equals)));
    if (std::ranges::find(kCredentialNames, name) == kCredentialNames.end()) {
      std::string known;
      for (const std::string_view each : kCredentialNames) known += (known.empty() ? "" : ", ") + std::string(each);
      return invalid_kafka("Line " + std::to_string(number) + " of the credentials of Kafka has another name than " +
                           known + ".");
    }
    found.emplace_back(name, without_spaces(line.substr(equals + 1)));
    has_user = has_user || name.starts_with("sasl.");
    if (name == "security.protocol") protocol = found.back().second;
  }
  if (has_user && !protocol.starts_with("SASL_") && !protocol.starts_with("sasl_")) {
    return invalid_kafka(
        "The user in the credentials of Kafka is sent to nobody: security.protocol has to be SASL_SSL or "
        "SASL_PLAINTEXT.");
  }
  std::ranges::transform(protocol, protocol.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  if (has_authority && (protocol == "PLAINTEXT" || protocol == "SASL_PLAINTEXT")) {
    return invalid_kafka("An authority file (--authority) asks for TLS, and security.protocol=" + protocol +
                         " in the credentials of Kafka for none: leave one of them out, or use SSL or SASL_SSL.");
  }
  return found;
}

}  // namespace partita::sinks
