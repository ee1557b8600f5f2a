#include "sinks/search_sender.h"

#include <algorithm>
#include <utility>

#include "auth/sha256.h"
#include "sinks/search_document.h"
#include "wire/json_writer.h"

namespace partita::sinks {

namespace {

// Of no item: after "sha256:" an id has 64 digits.
constexpr std::string_view kProbeId = "sha256:probe";
// More doubtful items than these are due to something else.
constexpr size_t kMostDoubtful = 10'000;

std::string reason_of_status(const net::HttpReply& reply) {
  return "The search engine answered " + std::to_string(reply.status) + ": " + search_error_text(reply.body);
}

}  // namespace

// Items on their way.
struct SearchSender::Batch {
  Generation generation = 0;
  std::span<const Delivery> deliveries;
  std::vector<Outcome> outcomes = {};  // one for each delivery

  BulkBody body = {};
  std::vector<size_t> sent = {};      // by operation of the body: the delivery
  bool takes_some = false;            // the engine has carried out a request
  bool takes_items = false;           // and has taken an item
  std::vector<size_t> doubtful = {};  // deliveries, see is_doubtful()
  std::string overload = {};          // why no more requests are sent
};

SearchSender::SearchSender(const DestinationSettings& settings, SearchClient& client, const SearchIndexes& indexes)
    : settings_(settings), client_(client), indexes_(indexes) {}

std::string SearchSender::document_id(std::string_view key) const {
  auto id = search_id_of(settings_.keys, key);
  if (id.ok()) return *std::move(id);
  std::string hashed = "key:";  // of no item; send() rejects it
  auth::append_hex(hashed, auth::sha256(key));
  return hashed;
}

std::string SearchSender::document(const model::Item& item, std::string_view field) const {
  wire::JsonWriter json(1'024);
  if (!field.empty()) {
    json.begin_object();
    json.key(field);
  }
  write_search_object(json, item, settings_.fields);
  if (!field.empty()) json.end_object();
  return std::move(json).take();
}

std::string SearchSender::document(const model::Item& item) const {
  return document(item, settings_.mode == DocumentMode::kFlat ? kFlatField : std::string_view());
}

bool SearchSender::is_document(const model::Item& item, std::string_view source) const {
  if (document(item) == source) return true;
  return settings_.mode == DocumentMode::kFlat && document(item, kUnindexedField) == source;
}

Result<std::vector<Outcome>> SearchSender::send(Generation generation, std::span<const Delivery> deliveries) {
  Batch batch{.generation = generation, .deliveries = deliveries};
  batch.outcomes.resize(deliveries.size());
  const bool is_flat = settings_.mode == DocumentMode::kFlat;
  PARTITA_TRY_VOID(send_pass(batch, is_flat ? kFlatField : std::string_view()));
  // What the engine refuses in a field that takes almost everything, it keeps in one that it does not look into.
  if (is_flat) PARTITA_TRY_VOID(send_pass(batch, kUnindexedField));
  PARTITA_TRY_VOID(judge_doubtful(batch));
  return std::move(batch.outcomes);
}

// The field kUnindexedField: only of what was rejected.
Result<void> SearchSender::send_pass(Batch& batch, std::string_view field) {
  const auto flush = [&]() -> Result<void> {
    if (batch.overload.empty()) {
      if (batch.body.count() > 0) PARTITA_TRY_VOID(send_range(batch, 0, batch.body.count()));
    } else {
      put_off(batch, 0, batch.overload);
    }
    batch.body.clear();
    batch.sent.clear();
    return {};
  };
  for (size_t i = 0; i < batch.deliveries.size(); ++i) {
    const Delivery& delivery = batch.deliveries[i];
    Outcome& outcome = batch.outcomes[i];
    if (field == kUnindexedField && (outcome.fate != Fate::kRejected || delivery.item == nullptr)) continue;
    const auto id = search_id_of(settings_.keys, delivery.key);
    if (!id.ok()) {
      outcome = {.fate = Fate::kRejected, .reason = std::string(id.error().sentence())};
      continue;
    }
    if (delivery.item == nullptr) {
      batch.body.erase(*id, delivery.version);
    } else {
      batch.body.index(*id, delivery.version, document(*delivery.item, field));
    }
    batch.sent.push_back(i);
    if (batch.body.bytes() >= kMostBulkBytes || batch.body.count() >= kMostBulkItems) PARTITA_TRY_VOID(flush());
  }
  return flush();
}

Result<net::HttpReply> SearchSender::post(const Batch& batch, std::string_view body) {
  if (client_.hurries()) return Error(ErrorKind::kUnavailable, "The server stops sending.");
  const std::string path = "/" + indexes_.write_alias(batch.generation) + "/_bulk?require_alias=true&timeout=10s&" +
                           std::string(kBulkFilter);
  return client_.send("POST", path, body);
}

// What a reply that is due to no item says of the operations from `first` on.
Result<void> SearchSender::stop_at(Batch& batch, size_t first, const net::HttpReply& reply) {
  // A 404 is that of a proxy, or of an index that is gone.
  std::string reason = reason_of_status(reply);
  if (reply.status < 500 && reply.status != 429) return Error(ErrorKind::kUnavailable, std::move(reason));
  batch.overload = std::move(reason);
  put_off(batch, first, batch.overload);
  return {};
}

// Operations of the body. As deep as a binary search.
Result<void> SearchSender::send_range(Batch& batch, size_t first, size_t last) {
  PARTITA_TRY(const net::HttpReply reply, post(batch, batch.body.slice(first, last)));
  if (reply.status == 200) return take_reply(batch, first, last - first, reply.body);
  if (!may_halve(reply.status)) return stop_at(batch, first, reply);
  if (last - first == 1) return refuse_one(batch, first, reply);
  const size_t middle = first + (last - first) / 2;
  PARTITA_TRY_VOID(send_range(batch, first, middle));
  if (!batch.overload.empty()) return {};
  return send_range(batch, middle, last);
}

Result<void> SearchSender::take_reply(Batch& batch, size_t first, size_t count, std::string_view body) {
  PARTITA_TRY(std::vector<BulkResult> results, read_bulk_reply(body, count));
  if (std::ranges::any_of(results, is_index_missing)) {
    return Error(ErrorKind::kUnavailable, "The index " + indexes_.index(batch.generation) + " is gone.");
  }
  batch.takes_some = true;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = batch.sent[first + i];
    if (is_doubtful(results[i])) {
      batch.doubtful.push_back(at);
    } else if (!refusals_.empty()) {
      refusals_.erase(batch.deliveries[at].key);
    }
    batch.outcomes[at] = outcome_of(std::move(results[i]));
    batch.takes_items = batch.takes_items || batch.outcomes[at].fate == Fate::kDone;
  }
  return {};
}

Result<bool> SearchSender::takes_probe(const Batch& batch) {
  BulkBody probe;
  probe.erase(kProbeId, 1);
  PARTITA_TRY(const net::HttpReply probed, post(batch, probe.slice(0, 1)));
  if (probed.status != 200) return false;
  PARTITA_TRY(std::vector<BulkResult> results, read_bulk_reply(probed.body, 1));
  return outcome_of(std::move(results.front())).fate == Fate::kDone;
}

// An item that is refused again and again with an error that passes, while others are taken, would hold them up for
// ever.
Result<void> SearchSender::judge_doubtful(Batch& batch) {
  if (batch.doubtful.empty() || !batch.overload.empty()) return {};
  if (!batch.takes_items) {
    PARTITA_TRY(batch.takes_items, takes_probe(batch));
  }
  if (!batch.takes_items) return {};
  for (const size_t at : batch.doubtful) {
    const std::string& key = batch.deliveries[at].key;
    if (refusals_.size() >= kMostDoubtful && !refusals_.contains(key)) continue;
    if (++refusals_[key] < kMostRefusals) continue;
    refusals_.erase(key);
    batch.outcomes[at].fate = Fate::kRejected;
  }
  return {};
}

// All operations of the body from `first` on.
void SearchSender::put_off(Batch& batch, size_t first, std::string_view reason) {
  for (size_t i = first; i < batch.body.count(); ++i) {
    batch.outcomes[batch.sent[i]] = {.fate = Fate::kLater, .reason = std::string(reason)};
  }
}

// If the engine carries out nothing at all, it is not due to this item; nor if it takes it a moment later.
Result<void> SearchSender::refuse_one(Batch& batch, size_t first, const net::HttpReply& reply) {
  const bool probes = !batch.takes_some;
  if (probes) {
    BulkBody probe;
    probe.erase(kProbeId, 1);
    PARTITA_TRY(const net::HttpReply probed, post(batch, probe.slice(0, 1)));
    batch.takes_some = probed.status == 200;
    if (!batch.takes_some) return Error(ErrorKind::kUnavailable, reason_of_status(probed));
  }
  if (probes || reply.status == 500) {
    PARTITA_TRY(const net::HttpReply again, post(batch, batch.body.slice(first, first + 1)));
    if (again.status == 200) return take_reply(batch, first, 1, again.body);
    if (!may_halve(again.status)) return stop_at(batch, first, again);
  }
  batch.outcomes[batch.sent[first]] = {.fate = Fate::kRejected, .reason = reason_of_status(reply)};
  return {};
}

}  // namespace partita::sinks
