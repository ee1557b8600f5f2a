#include "table/control/tags.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/limits.h"

namespace partita::table {

namespace {

using model::Fault;
using model::refuse;

constexpr size_t kMaxTagKey = 128;       // characters; Tag in DynamoDB's API reference
constexpr size_t kMaxTagValue = 256;     // the same
constexpr size_t kMaxTagBytes = 10'240;  // of all keys and values of a table; measured

struct Span {
  char32_t first;
  char32_t last;
};
// Beyond ASCII, whole blocks of what is neither letter nor digit nor space; marks within other blocks are not looked
// up.
constexpr std::array kSigns = {
    Span{0x80, 0x9f},     Span{0xa1, 0xa9},       Span{0xab, 0xb1},       Span{0xd7, 0xd7},       Span{0xf7, 0xf7},
    Span{0x200b, 0x2027}, Span{0x2030, 0x205e},   Span{0x2060, 0x206f},   Span{0x20a0, 0x20cf},   Span{0x2190, 0x245f},
    Span{0x2500, 0x2775}, Span{0x2794, 0x2bff},   Span{0x3001, 0x3004},   Span{0xe000, 0xf8ff},   Span{0xfe00, 0xfe0f},
    Span{0xfff0, 0xffff}, Span{0x1f000, 0x1f0ff}, Span{0x1f200, 0x1faff}, Span{0xe0000, 0x10ffff}};

// "Tagging restrictions in DynamoDB" in its developer guide: letters, digits and spaces of any script, and a few signs.
bool may_be_in_tag(char32_t c) {
  if (c >= 0x80) {
    return std::ranges::none_of(kSigns, [=](const Span& span) { return span.first <= c && c <= span.last; });
  }
  const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return word || std::string_view("_.:/=+-@ \t\n\r").contains(static_cast<char>(c));
}

// Takes one character from the front of UTF-8, which is known to be well formed.
char32_t take_character(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  constexpr std::array<unsigned char, 5> kBits{0, 0x7f, 0x1f, 0x0f, 0x07};
  char32_t c = first & kBits[length];
  for (const char next : text.substr(1, length - 1)) c = c << 6 | (static_cast<unsigned char>(next) & 0x3f);
  text.remove_prefix(std::min(length, text.size()));
  return c;
}

bool is_tag_text(std::string_view text, size_t most) {
  if (utf16_length(text) > most) return false;
  while (!text.empty()) {
    if (!may_be_in_tag(take_character(text))) return false;
  }
  return true;
}

bool is_reserved(std::string_view key) {
  constexpr std::string_view kPrefix = "aws:";
  return std::ranges::equal(key.substr(0, kPrefix.size()), kPrefix, {},
                            [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
}

bool is_tag_key(std::string_view key) { return !key.empty() && is_tag_text(key, kMaxTagKey); }

Error not_found(const api::Resource& resource) { return refuse(Fault::kArnNotFound, {resource.arn}); }

// The tags of what the ARN names; null when the table has no such stream.
template <class Info>
auto* find_tags(Info& table, const api::Resource& resource) {
  if (resource.stream.empty()) return &table.tags;
  return resource.stream == table.stream.label ? &table.stream.tags : nullptr;
}

// Whether the last change of the table's tags is over, or part of this one, which writes `written`.
Result<void> check_in_flight(const TableInfo& table, const Tags& written, int64_t now_ms) {
  if (!table.tags_in_flight || is_due(table.tags_in_flight->due_ms, now_ms)) return {};
  const Tags& last = table.tags_in_flight->value;
  const bool repeats = !last.empty() && std::ranges::includes(written, last);
  if (!repeats) return refuse(Fault::kTagsBusy, {table.name});
  return {};
}

// Changes the tags by `change`, which writes `written`, unless that refuses or leaves them as they are.
template <class ChangeTags>
Task<Result<void>> change_tags(TableContext& context, const api::Resource& resource, Tags written, ChangeTags change) {
  PARTITA_CO_TRY(const Table table, co_await context.newest_table(resource.name));
  if (table == nullptr || find_tags(*table, resource) == nullptr) co_return not_found(resource);
  const int64_t now_ms = context.clock().now_ms();
  const Catalog::Change make = [&](TableInfo& info) -> Result<void> {
    Tags* const tags = find_tags(info, resource);
    if (tags == nullptr) return not_found(resource);
    if (!resource.stream.empty()) return change(*tags);
    PARTITA_TRY_VOID(check_in_flight(info, written, now_ms));
    info.tags_in_flight = {written, now_ms + context.options().updating_ms};
    return change(*tags);
  };
  TableInfo tried = *table;
  PARTITA_CO_TRY_VOID(make(tried));
  if (*find_tags(tried, resource) == *find_tags(*table, resource)) co_return Result<void>();
  auto changed = co_await context.catalog().change(resource.name, make);
  if (changed.ok()) co_return Result<void>();
  const bool gone =
      changed.error().kind() == ErrorKind::kInvalid && model::fault_of(changed.error()) == Fault::kTableNotFound;
  co_return gone ? not_found(resource) : std::move(changed).error();
}

}  // namespace

Result<void> merge_tags(const std::vector<api::Tag>& tags, Tags& there) {
  Tags merged = there;
  std::set<std::string_view> named;
  for (const api::Tag& tag : tags) {
    const std::string key = tag.key.value_or("null");
    if (!tag.key || !is_tag_key(key)) return refuse(Fault::kTagKeyInvalid, {key});
    if (!tag.value || !is_tag_text(*tag.value, kMaxTagValue)) {
      return refuse(Fault::kTagValueInvalid, {tag.value.value_or("null")});
    }
    if (is_reserved(key)) return refuse(Fault::kTagKeyReserved, {key});
    if (!named.insert(*tag.key).second) return refuse(Fault::kTagKeyTwice, {key});
    merged.insert_or_assign(key, *tag.value);
  }
  if (merged.size() > model::kMaxTags) return refuse(Fault::kTooManyTags);
  size_t bytes = 0;
  for (const auto& [key, value] : merged) bytes += key.size() + value.size();
  if (bytes > kMaxTagBytes) {
    return refuse(Fault::kTagsTooLarge, {std::to_string(bytes), std::to_string(kMaxTagBytes)});
  }
  there = std::move(merged);
  return {};
}

Task<Result<Tags>> tags_of(TableContext& context, const api::Resource& resource) {
  PARTITA_CO_TRY(const Table table, co_await context.idle_table(resource.name));
  const Tags* const tags = table == nullptr ? nullptr : find_tags(*table, resource);
  if (tags == nullptr) co_return not_found(resource);
  co_return *tags;
}

Task<Result<void>> add_tags(TableContext& context, const api::Resource& resource, const std::vector<api::Tag>& tags) {
  if (tags.empty()) co_return refuse(Fault::kTagsMissing);
  Tags alone;
  PARTITA_CO_TRY_VOID(merge_tags(tags, alone));
  co_return co_await change_tags(context, resource, std::move(alone),
                                 [&](Tags& there) { return merge_tags(tags, there); });
}

Task<Result<void>> drop_tags(TableContext& context, const api::Resource& resource,
                             const std::vector<std::string>& keys) {
  if (keys.empty()) co_return refuse(Fault::kTagKeysMissing);
  std::set<std::string_view> named;
  for (const std::string& key : keys) {
    std::vector<std::string> args{key};
    if (!is_tag_key(key)) co_return refuse(Fault::kTagKeyInvalid, std::move(args));
    if (is_reserved(key)) co_return refuse(Fault::kTagKeyReserved, std::move(args));
    if (!named.insert(key).second) co_return refuse(Fault::kTagKeyTwice, std::move(args));
  }
  if (keys.size() > model::kMaxTags) co_return refuse(Fault::kTooManyTags);
  co_return co_await change_tags(context, resource, {}, [&](Tags& there) -> Result<void> {
    for (const std::string& key : keys) there.erase(key);
    return {};
  });
}

}  // namespace partita::table
