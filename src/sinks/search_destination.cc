// OpenSearch and Elasticsearch as destinations.
#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

#include "base/thread.h"
#include "sinks/destination.h"
#include "sinks/raw_json.h"
#include "sinks/search_client.h"
#include "sinks/search_document.h"
#include "sinks/search_index.h"
#include "sinks/search_sender.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::sinks {

namespace {

// Of one request that compares documents, whose reply has about as many bytes.
constexpr size_t kMostComparedBytes = size_t{4} << 20;
constexpr size_t kMostCompared = 1'000;
constexpr size_t kLeastForTwo = 2'000;  // items: one request for fewer

Error gone_error(const std::string& index) {
  return Error(ErrorKind::kUnavailable, "The index " + index + " is gone.");
}

class SearchDestination final : public Destination {
 public:
  SearchDestination(DestinationSettings settings, SearchClient client, SearchClient second, SearchIndexes indexes)
      : settings_(std::move(settings)),
        client_(std::move(client)),
        second_client_(std::move(second)),
        indexes_(std::move(indexes)),
        sender_(settings_, client_, indexes_),
        second_sender_(settings_, second_client_, indexes_) {}

  Result<void> prepare(Generation generation) override;
  Result<std::vector<Outcome>> send(Generation generation, std::span<const Delivery> deliveries) override;
  Result<void> publish(Generation generation) override;
  Result<bool> is_intact(Generation generation) override;
  Result<std::vector<bool>> compare(Generation generation, std::span<const Delivery> deliveries) override;
  Result<uint64_t> count(Generation generation) override;
  Result<std::optional<std::string>> read_mark(Generation generation) override;
  Result<bool> write_mark(Generation generation, std::string_view mark, uint64_t version) override;
  Result<void> remove() override;
  std::string document_id(std::string_view key) const override { return sender_.document_id(key); }
  std::string target() const override { return indexes_.alias(); }

 private:
  Result<AliasHolders> alias_holders();
  Result<std::vector<std::string>> own_indexes();
  Result<void> compare_some(Generation generation, std::span<const Delivery> deliveries, std::vector<bool>& same);

  DestinationSettings settings_;
  SearchClient client_;
  SearchClient second_client_;
  SearchIndexes indexes_;
  SearchSender sender_;
  SearchSender second_sender_;
  bool has_marks_index_ = false;  // made or found by this object
};

// An engine carries out one request on one core. Many items go in two, side by side, since no two are of the same key.
Result<std::vector<Outcome>> SearchDestination::send(Generation generation, std::span<const Delivery> deliveries) {
  if (deliveries.size() < kLeastForTwo) return sender_.send(generation, deliveries);
  const auto rest = deliveries.subspan(deliveries.size() / 2);
  Result<std::vector<Outcome>> second = Error(ErrorKind::kUnavailable, "There is no memory for it.");
  auto beside = Thread::start("sink", [&](const std::stop_token&) {
    try {
      second = second_sender_.send(generation, rest);
    } catch (const std::bad_alloc&) {  // as it says already
    }
  });
  if (!beside.ok()) return sender_.send(generation, deliveries);
  PARTITA_TRY(auto outcomes, sender_.send(generation, deliveries.first(deliveries.size() - rest.size())));
  beside->join();
  PARTITA_TRY_VOID(second);
  std::ranges::move(*second, std::back_inserter(outcomes));
  return outcomes;
}

// Error: kInvalid, if users' names are in the way.
Result<AliasHolders> SearchDestination::alias_holders() {
  const std::string& alias = indexes_.alias();
  const std::string path = "/" + alias + "?filter_path=*.settings.index.uuid,*.mappings._meta.partita,error,status";
  PARTITA_TRY(const net::HttpReply reply, client_.call("GET", path, {}, 404));
  if (reply.status == 404) return AliasHolders();
  PARTITA_TRY(AliasHolders holders, read_alias_holders(reply.body));
  for (const auto& [index, owner] : holders) {
    if (index == alias) {
      return Error(ErrorKind::kInvalid, "There is an index " + alias +
                                            ", which is no alias of this sink's: delete it, or "
                                            "make the sink with another --index.");
    }
    if (!indexes_.is_own(index) && owner != settings_.id) {
      return Error(ErrorKind::kInvalid, "The alias " + alias + " is one of the index " + index +
                                            ", which this sink has not made: delete that index or its alias, or make "
                                            "the sink with another --index.");
    }
  }
  return holders;
}

Result<std::vector<std::string>> SearchDestination::own_indexes() {
  const std::string path = "/" + indexes_.pattern() + "/_alias?expand_wildcards=all";
  PARTITA_TRY(const net::HttpReply reply, client_.call("GET", path, {}, 404));
  if (reply.status == 404) return std::vector<std::string>();
  PARTITA_TRY(std::vector<std::string> names, read_member_names(reply.body));
  std::erase_if(names, [this](const std::string& name) { return !indexes_.is_own(name); });
  return names;
}

Result<void> SearchDestination::prepare(Generation generation) {
  PARTITA_TRY(const SearchEngine engine, client_.engine());
  PARTITA_TRY_VOID(alias_holders());
  const std::string path = "/" + indexes_.index(generation);
  const std::string body = indexes_.index_body(generation, engine);
  PARTITA_TRY(net::HttpReply reply, client_.call("PUT", path, body, 400));
  if (reply.status == 400 && reply.body.contains("invalid_alias_name_exception")) {
    // A delete that was sent when the index had gone made an index of the alias's name.
    PARTITA_TRY_VOID(client_.call("DELETE", "/" + indexes_.write_alias(generation), {}, 404));
    PARTITA_TRY(reply, client_.call("PUT", path, body, 400));
  }
  if (reply.status == 400 && !reply.body.contains("resource_already_exists_exception")) {
    return search_error("PUT " + path, reply);
  }
  return {};
}

Result<void> SearchDestination::publish(Generation generation) {
  const std::string index = indexes_.index(generation);
  PARTITA_TRY(const AliasHolders holders, alias_holders());
  PARTITA_TRY(const std::vector<std::string> own, own_indexes());
  if (std::ranges::find(own, index) == own.end()) return gone_error(index);
  std::vector<std::string> deleted;
  for (const std::string& each : own) {
    const auto its_generation = indexes_.generation_of(each);
    const bool is_older = !its_generation || *its_generation < generation;
    if (is_older && each != indexes_.marks_index()) deleted.push_back(each);
  }
  std::vector<std::string> from;
  for (const auto& [each, owner] : holders) {
    if (each != index && std::ranges::find(deleted, each) == deleted.end()) from.push_back(each);
  }
  if (holders.contains(index) && from.empty() && deleted.empty()) return {};
  PARTITA_TRY_VOID(client_.call("POST", "/" + index + "/_refresh"));
  PARTITA_TRY_VOID(client_.call("POST", "/_aliases", alias_switch_body(indexes_.alias(), index, from, deleted)));
  return {};
}

Result<bool> SearchDestination::is_intact(Generation generation) {
  PARTITA_TRY_VOID(client_.engine());  // what answers may be no search engine
  PARTITA_TRY(const net::HttpReply reply, client_.call("GET", "/_alias/" + indexes_.write_alias(generation), {}, 404));
  if (reply.status == 404) return false;
  PARTITA_TRY(const std::vector<std::string> names, read_member_names(reply.body));
  return std::ranges::find(names, indexes_.index(generation)) != names.end();
}

Result<void> SearchDestination::compare_some(Generation generation, std::span<const Delivery> deliveries,
                                             std::vector<bool>& same) {
  wire::JsonWriter json;
  json.begin_object();
  json.begin_array("ids");
  for (const Delivery& each : deliveries) json.string(document_id(each.key));
  json.end_array();
  json.end_object();
  const std::string index = indexes_.index(generation);
  PARTITA_TRY(const net::HttpReply reply, client_.call("POST", "/" + index + "/_mget", std::move(json).take()));
  RawElements documents(raw_member(reply.body, "docs").value_or(std::string_view()));
  for (const Delivery& each : deliveries) {
    const auto document = documents.next();
    const auto found = document ? raw_member(*document, "found") : std::nullopt;
    if (!found) return raw_member(reply.body, "docs") && document ? gone_error(index) : search_error("_mget", reply);
    const auto source = raw_member(*document, "_source");
    same.push_back(each.item == nullptr ? *found == "false" : source && sender_.is_document(*each.item, *source));
  }
  return {};
}

Result<std::vector<bool>> SearchDestination::compare(Generation generation, std::span<const Delivery> deliveries) {
  std::vector<bool> same;
  same.reserve(deliveries.size());
  while (same.size() < deliveries.size()) {
    const auto rest = deliveries.subspan(same.size());
    size_t count = 0;
    for (size_t bytes = 0; count < std::min(rest.size(), kMostCompared) && bytes < kMostComparedBytes; ++count) {
      if (rest[count].item != nullptr) bytes += sender_.document(*rest[count].item).size();
    }
    PARTITA_TRY_VOID(compare_some(generation, rest.first(count), same));
  }
  return same;
}

Result<uint64_t> SearchDestination::count(Generation generation) {
  const std::string index = "/" + indexes_.index(generation);
  PARTITA_TRY_VOID(client_.call("POST", index + "/_refresh"));
  PARTITA_TRY(const net::HttpReply reply, client_.call("GET", index + "/_count"));
  const auto document = wire::JsonDocument::parse(reply.body);
  const wire::JsonValue counted = document.ok() ? document->root().get("count") : wire::JsonValue();
  if (!counted.is(wire::JsonValue::Kind::kInteger)) return search_error("_count", reply);
  return static_cast<uint64_t>(counted.as_integer());
}

Result<std::optional<std::string>> SearchDestination::read_mark(Generation generation) {
  const std::string path = "/" + indexes_.marks_index() + "/_doc/" + std::to_string(generation);
  PARTITA_TRY(const net::HttpReply reply, client_.call("GET", path, {}, 404));
  if (reply.status == 404) return std::optional<std::string>();
  const auto document = wire::JsonDocument::parse(reply.body);
  const wire::JsonValue mark = document.ok() ? document->root().get("_source").get("mark") : wire::JsonValue();
  if (!mark.is(wire::JsonValue::Kind::kString)) return search_error("GET " + path, reply);
  return std::optional(wire::text_of(mark));
}

Result<bool> SearchDestination::write_mark(Generation generation, std::string_view mark, uint64_t version) {
  const std::string index = "/" + indexes_.marks_index();
  const std::string path =
      index + "/_doc/" + std::to_string(generation) + "?version_type=external_gte&version=" + std::to_string(version);
  if (!has_marks_index_) {
    PARTITA_TRY(const net::HttpReply reply, client_.call("PUT", index, SearchIndexes::marks_index_body(), 400));
    has_marks_index_ = reply.status == 200 || reply.body.contains("resource_already_exists_exception");
    if (!has_marks_index_) return search_error("PUT " + index, reply);
  }
  auto written = client_.call("PUT", path, SearchIndexes::mark_body(mark), 409);
  if (written.ok()) return written->status != 409;
  has_marks_index_ = false;
  return std::move(written).error();
}

Result<void> SearchDestination::remove() {
  PARTITA_TRY(const std::vector<std::string> own, own_indexes());
  for (const std::string& each : own) {
    PARTITA_TRY_VOID(client_.call("DELETE", "/" + each, {}, 404));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Destination>> make_search_destination(const DestinationSettings& settings,
                                                             std::stop_token hurry) {
  PARTITA_TRY(SearchPlace place, SearchPlace::parse(settings.url));
  place.credentials_file = settings.credentials_file;
  place.authority_file = settings.authority_file;
  PARTITA_TRY(SearchIndexes indexes, SearchIndexes::create(settings));
  PARTITA_TRY(SearchClient client, SearchClient::create(place, hurry));
  PARTITA_TRY(SearchClient second, SearchClient::create(std::move(place), std::move(hurry)));
  return std::unique_ptr<Destination>(
      std::make_unique<SearchDestination>(settings, std::move(client), std::move(second), std::move(indexes)));
}

}  // namespace partita::sinks
