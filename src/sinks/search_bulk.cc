#include "sinks/search_bulk.h"

#include <algorithm>
#include <array>
#include <utility>

#include "wire/json_reader.h"
#include "wire/json_writer.h"
#include "wire/legible.h"
#include "wire/shape_print.h"

namespace partita::sinks {

namespace {

using wire::JsonValue;

constexpr size_t kLongestReason = 1'000;

// At most `most` bytes, of whole characters, for people to read.
std::string cut_text(std::string_view text, size_t most) { return wire::without_controls(wire::shortened(text, most)); }

// "REASON: CAUSE" of an error object; the text itself if it is one.
std::string reason_of(const JsonValue& error) {
  if (error.is(JsonValue::Kind::kString)) return cut_text(error.as_string(), kLongestReason);
  std::string reason = wire::text_of(error.get("reason"));
  const std::string cause = wire::text_of(error.get("caused_by").get("reason"));
  if (!cause.empty() && !reason.contains(cause)) reason += ": " + cause;
  return cut_text(reason, kLongestReason);
}

BulkResult result_of(std::string_view action, const JsonValue& reply) {
  const JsonValue error = reply.get("error");
  BulkResult result{.deletes = action == "delete", .status = static_cast<int>(wire::integer_of(reply.get("status")))};
  if (!error.present()) return result;
  result.error = cut_text(wire::text_of(error.get("type")), kLongestReason);
  if (result.error.empty()) result.error = "error";
  result.reason = reason_of(error);
  return result;
}

bool is_success(const BulkResult& result) {
  return result.error.empty() && (result.status / 100 == 2 || (result.deletes && result.status == 404));
}

// None of these is due to the item.
bool is_passing(const BulkResult& result) {
  constexpr std::array kPassing{401, 403, 404, 408, 429};
  return result.status >= 500 || std::ranges::find(kPassing, result.status) != kPassing.end() ||
         result.error == "cluster_block_exception";
}

}  // namespace

void BulkBody::add(std::string_view action, std::string_view id, uint64_t version) {
  wire::JsonWriter json(id.size() + 100);
  json.begin_object();
  json.begin_object(action);
  json.member("_id", id);
  json.member("version", static_cast<int64_t>(version));
  json.member("version_type", "external_gte");
  json.end_object();
  json.end_object();
  text_ += std::move(json).take();
  text_ += '\n';
}

void BulkBody::index(std::string_view id, uint64_t version, std::string_view document) {
  add("index", id, version);
  text_ += document;
  text_ += '\n';
  ends_.push_back(text_.size());
}

void BulkBody::erase(std::string_view id, uint64_t version) {
  add("delete", id, version);
  ends_.push_back(text_.size());
}

void BulkBody::clear() {
  text_.clear();
  ends_.clear();
}

std::string_view BulkBody::slice(size_t first, size_t last) const {
  const auto start_of = [this](size_t index) { return index == 0 ? size_t{0} : ends_[index - 1]; };
  return std::string_view(text_).substr(start_of(first), start_of(last) - start_of(first));
}

Result<std::vector<BulkResult>> read_bulk_reply(std::string_view body, size_t count) {
  const auto wrong = [body] {
    return Error(ErrorKind::kUnavailable,
                 "The search engine's reply is none to a _bulk request: " + search_error_text(body));
  };
  const auto document = wire::JsonDocument::parse(body);
  if (!document.ok()) return wrong();
  const JsonValue items = document->root().get("items");
  if (items.size() != count) return wrong();
  std::vector<BulkResult> results;
  results.reserve(count);
  for (const JsonValue& item : items.elements()) {
    if (item.size() != 1) return wrong();
    const JsonValue::Member action = *item.members().begin();
    results.push_back(result_of(action.name, action.value));
    if (results.back().status == 0) return wrong();
  }
  if (results.size() != count) return wrong();
  return results;
}

bool is_index_missing(const BulkResult& result) { return result.error == "index_not_found_exception"; }

bool is_doubtful(const BulkResult& result) {
  const bool is_engines = result.status == 429 || result.status == 503 || result.error == "cluster_block_exception";
  return !is_success(result) && is_passing(result) && !is_engines;
}

Outcome outcome_of(BulkResult result) {
  if (is_success(result)) return {};
  if (result.error == "version_conflict_engine_exception") return {.reason = {}, .conflict = true};
  const Fate fate = is_passing(result) ? Fate::kLater : Fate::kRejected;
  std::string reason = result.error.empty() ? "Status " + std::to_string(result.status) : std::move(result.error);
  if (!result.reason.empty()) reason += ": " + result.reason;
  return {.fate = fate, .reason = std::move(reason)};
}

bool may_halve(int status) { return status == 400 || status == 413 || status == 500; }

std::string search_error_text(std::string_view body) {
  const auto document = wire::JsonDocument::parse(body);
  if (document.ok()) {
    const JsonValue error = document->root().get("error");
    const std::string type = cut_text(wire::text_of(error.get("type")), kLongestReason);
    const std::string reason = reason_of(error);
    if (!reason.empty()) return type.empty() ? reason : type + ": " + reason;
  }
  return wire::legible(cut_text(body, 200));
}

}  // namespace partita::sinks
