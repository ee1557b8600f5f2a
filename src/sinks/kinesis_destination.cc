#include "sinks/kinesis_destination.h"

#include <algorithm>
#include <memory>
#include <set>

#include "auth/sha256.h"
#include "auth/text_util.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::sinks {

namespace {

constexpr std::string_view kPutRecords = "PutRecords";
constexpr std::string_view kDescribeStream = "DescribeStream";
constexpr int64_t kFullShardMs = 200;  // before records are sent again that a shard had no room for

// The first 128 bits of a hash, in hexadecimal.
std::string partition_key_of(std::string_view item) {
  constexpr size_t kDigits = 32;
  std::string key;
  auth::append_hex(key, auth::sha256(item));
  key.resize(kDigits);
  return key;
}

Error invalid_kinesis(std::string sentence) { return Error(ErrorKind::kInvalid, std::move(sentence)); }
Error unavailable_kinesis(std::string sentence) { return Error(ErrorKind::kUnavailable, std::move(sentence)); }

std::string take_option(ChangeSettings& settings, std::string_view name) {
  const auto found = settings.options.find(name);
  if (found == settings.options.end()) return {};
  std::string value = std::move(found->second);
  settings.options.erase(found);
  return value;
}

// Why a stream cannot be used for good; empty: it can.
Result<std::string> status_trouble(const std::string& stream, const net::HttpReply& reply) {
  const auto document = wire::JsonDocument::parse(reply.body);
  const std::string status =
      document.ok() ? wire::text_of(document->root().get("StreamDescription").get("StreamStatus")) : std::string();
  if (status == "ACTIVE" || status == "UPDATING") return std::string();
  if (status == "DELETING") return "The stream " + stream + " is being deleted.";
  if (status == "CREATING") return unavailable_kinesis("The stream " + stream + " is being created.");
  return unavailable_kinesis("The server at the endpoint of Kinesis does not answer as Kinesis does.");
}

}  // namespace

KinesisDestination::KinesisDestination(ChangeSettings settings, KinesisPlace place, TimePrecision precision,
                                       std::stop_token hurry)
    : settings_(std::move(settings)), place_(std::move(place)), precision_(precision), hurry_(std::move(hurry)) {}

Result<std::unique_ptr<ChangeDestination>> KinesisDestination::make(ChangeSettings settings, std::stop_token hurry) {
  PARTITA_TRY(KinesisPlace place, KinesisPlace::parse(settings.url));
  place.region = take_option(settings, "region");
  if (place.region.empty()) place.region = settings.region;
  if (!auth::is_region(place.region)) return invalid_kinesis("The option region is a region such as us-east-1.");
  const std::string precision = take_option(settings, "precision");
  if (!precision.empty() && precision != "MILLISECOND" && precision != "MICROSECOND") {
    return invalid_kinesis("The option precision is MILLISECOND or MICROSECOND.");
  }
  if (!settings.options.empty()) {
    return invalid_kinesis("Kinesis has no option " + settings.options.begin()->first + ": region or precision.");
  }
  place.credentials_file = settings.credentials_file;
  place.authority_file = settings.authority_file;
  const auto fine = precision == "MICROSECOND" ? TimePrecision::kMicrosecond : TimePrecision::kMillisecond;
  return std::unique_ptr<ChangeDestination>(
      new KinesisDestination(std::move(settings), std::move(place), fine, std::move(hurry)));
}

Result<KinesisClient*> KinesisDestination::client_of(std::optional<KinesisClient>& of) {
  if (!of) {
    PARTITA_TRY(of, KinesisClient::create(place_, hurry_));
  }
  return &*of;
}

// Of DescribeStream.
std::string KinesisDestination::question() const {
  wire::JsonWriter json;
  json.begin_object();
  json.member("StreamName", place_.stream);
  json.member("Limit", 1);
  json.end_object();
  return std::move(json).take();
}

Result<void> KinesisDestination::prepare() {
  PARTITA_TRY(KinesisClient* const client, client_of(first_));
  PARTITA_TRY(const net::HttpReply reply, client->call(kDescribeStream, question()));
  const KinesisOutcome outcome = kinesis_outcome(reply);
  if (outcome == KinesisOutcome::kLater) return unavailable_kinesis(kinesis_sentence(kDescribeStream, reply));
  if (outcome != KinesisOutcome::kDone) return invalid_kinesis(kinesis_sentence(kDescribeStream, reply));
  PARTITA_TRY(std::string trouble, status_trouble(place_.stream, reply));
  return trouble.empty() ? Result<void>() : invalid_kinesis(std::move(trouble));
}

Result<ChangesSent> KinesisDestination::send(size_t slice, std::span<const Change> changes, std::string& /*state*/) {
  Slice& here = slices_.at(slice);
  // What the store has as delivered is not asked for again.
  here.ahead.erase(here.ahead.begin(), here.ahead.lower_bound(changes.front().position));
  return deliver(here, slice, changes);
}

Result<ChangesSent> KinesisDestination::resend(size_t slice, std::span<const Change> changes) {
  Slice& here = slices_.at(slice);
  Slice apart;
  apart.blames_at_once = true;  // they were rejected before, and stay dead letters
  apart.client = std::move(here.client);
  auto sent = deliver(apart, slice, changes);
  here.client = std::move(apart.client);
  return sent;
}

Result<ChangesSent> KinesisDestination::deliver(Slice& slice, size_t number, std::span<const Change> changes) {
  const size_t before = slice.ahead.size();
  slice.suspects.clear();
  Trouble trouble;
  for (size_t from = 0; from < changes.size() && trouble.sentence.empty();) {
    const std::vector<Record> records = next_records(slice, number, changes, from);
    if (records.empty()) break;
    auto put = this->put(slice, changes, records);
    // An error tells nothing of what was done before it.
    if (!put.ok()) trouble = {std::string(put.error().sentence()), false};
    if (put.ok()) trouble = std::move(*put);
  }
  if (trouble.sentence.empty() && !slice.suspects.empty()) trouble = {slice.suspects.begin()->second, false};
  ChangesSent sent;
  for (; sent.done < changes.size(); ++sent.done) {
    const auto found = slice.ahead.find(changes[sent.done].position);
    if (found == slice.ahead.end()) break;
    if (found->second) sent.rejections.push_back({sent.done, *found->second});
  }
  if (sent.done == changes.size()) return sent;
  sent.trouble = std::move(trouble.sentence);
  sent.wait_ms = trouble.passes && slice.ahead.size() > before ? kFullShardMs : 0;
  return sent;
}

std::vector<KinesisDestination::Record> KinesisDestination::next_records(Slice& slice, size_t number,
                                                                         std::span<const Change> changes,
                                                                         size_t& from) const {
  std::vector<Record> records;
  size_t bytes = 0;
  for (; from < changes.size() && records.size() < kMostRecords; ++from) {
    const Change& change = changes[from];
    if (slice.ahead.contains(change.position)) continue;
    auto data = change_json(settings_, number, change, precision_);
    if (!data.ok()) {
      slice.ahead.emplace(change.position, std::string(data.error().sentence()));
      continue;
    }
    Record record{from, change.key, *std::move(data), partition_key_of(change.key)};
    const bool is_large = record.bytes() > kLargeRecord;
    if (!records.empty() && (is_large || bytes + record.bytes() > kMostBytes)) break;
    bytes += record.bytes();
    records.push_back(std::move(record));
    if (is_large) {
      ++from;
      break;
    }
  }
  return records;
}

std::string KinesisDestination::request_of(std::span<const Record> records) const {
  size_t bytes = 256;
  for (const Record& record : records) bytes += record.bytes() * 4 / 3 + 64;
  wire::JsonWriter json(bytes);
  json.begin_object();
  json.member("StreamName", place_.stream);
  json.begin_array("Records");
  for (const Record& record : records) {
    json.begin_object();
    json.key("Data");
    json.base64(record.data);
    json.member("PartitionKey", record.partition_key);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return std::move(json).take();
}

Result<KinesisDestination::Trouble> KinesisDestination::put(Slice& slice, std::span<const Change> changes,
                                                            std::span<const Record> records) {
  if (hurry_.stop_requested()) return unavailable_kinesis("The sink is interrupted.");
  PARTITA_TRY(KinesisClient* const client, client_of(slice.client));
  const std::string request = request_of(records);
  PARTITA_TRY(const net::HttpReply reply, client->call(kPutRecords, request));
  switch (kinesis_outcome(reply)) {
    case KinesisOutcome::kDone:
      return take_reply(slice, changes, records, reply);
    case KinesisOutcome::kTooMuch:
      return put_less(slice, changes, records, reply);
    case KinesisOutcome::kLater:
    case KinesisOutcome::kRefused:
      break;
  }
  return Trouble{kinesis_sentence(kPutRecords, reply), false};
}

// A single record that is refused is the one at fault if it is large or another is taken, and the stream is well.
Result<KinesisDestination::Trouble> KinesisDestination::put_less(Slice& slice, std::span<const Change> changes,
                                                                 std::span<const Record> records,
                                                                 const net::HttpReply& refusal) {
  if (records.size() > 1) {
    const size_t half = records.size() / 2;
    PARTITA_TRY(Trouble trouble, put(slice, changes, records.first(half)));
    if (!trouble.sentence.empty()) return trouble;
    return put(slice, changes, records.subspan(half));
  }
  const bool is_blamed = slice.blames_at_once || records[0].bytes() > kLargeRecord;
  if (is_blamed || slice.suspects.empty()) {
    PARTITA_TRY(KinesisClient* const client, client_of(slice.client));
    PARTITA_TRY(const net::HttpReply reply, client->call(kDescribeStream, question()));
    const KinesisOutcome outcome = kinesis_outcome(reply);
    if (outcome != KinesisOutcome::kDone) return Trouble{kinesis_sentence(kDescribeStream, reply), false};
  }
  const storage::Position& position = changes[records[0].change].position;
  std::string why = kinesis_sentence(kPutRecords, refusal);
  if (is_blamed) {
    slice.ahead.emplace(position, std::move(why));
  } else {
    slice.suspects.emplace(position, std::move(why));
  }
  return Trouble{};
}

Result<KinesisDestination::Trouble> KinesisDestination::take_reply(Slice& slice, std::span<const Change> changes,
                                                                   std::span<const Record> records,
                                                                   const net::HttpReply& reply) {
  const auto document = wire::JsonDocument::parse(reply.body);
  const wire::JsonValue results = document.ok() ? document->root().get("Records") : wire::JsonValue();
  if (results.size() != records.size() || !results.is(wire::JsonValue::Kind::kArray)) {
    return unavailable_kinesis("The reply of Kinesis is none to PutRecords.");
  }
  Trouble trouble;
  std::set<std::string_view> held;  // items with a record that failed
  size_t at = 0;
  for (const wire::JsonValue result : results.elements()) {
    const Record& record = records[at++];
    const bool is_taken = !wire::text_of(result.get("SequenceNumber")).empty();
    if (is_taken) {
      for (auto& [position, why] : slice.suspects) slice.ahead.emplace(position, std::move(why));
      slice.suspects.clear();
    }
    if (is_taken && !held.contains(record.item)) {
      slice.ahead.emplace(changes[record.change].position, std::nullopt);
      continue;
    }
    held.insert(record.item);
    if (is_taken || !trouble.sentence.empty()) continue;
    const std::string code = wire::text_of(result.get("ErrorCode"));
    trouble.sentence = "Kinesis did not take some records: " + (code.empty() ? "it does not say why." : code + ".");
  }
  return trouble;
}

FindChangeDestination find_with_kinesis(KinesisDefaults defaults) {
  return [defaults = std::move(defaults)](std::string_view url) {
    std::optional<ChangeDestinationKind> kind = find_change_destination(url);
    if (!kind || !url.starts_with("kinesis:") || defaults.endpoint.empty()) return kind;
    kind->make = [defaults, make = std::move(kind->make)](
                     const ChangeSettings& settings,
                     std::stop_token hurry) -> Result<std::unique_ptr<ChangeDestination>> {
      ChangeSettings own = settings;
      PARTITA_TRY(const KinesisPlace place, KinesisPlace::parse(settings.url));
      const bool has_slash = defaults.endpoint.ends_with('/');
      own.url = "kinesis+" + defaults.endpoint + (has_slash ? "" : "/") + place.stream;
      if (own.credentials_file.empty()) own.credentials_file = defaults.credentials_file;
      return make(own, std::move(hurry));
    };
    return kind;
  };
}

Result<std::unique_ptr<ChangeDestination>> make_kinesis_destination(const ChangeSettings& settings,
                                                                    std::stop_token hurry) {
  return KinesisDestination::make(settings, std::move(hurry));
}

}  // namespace partita::sinks
