// BatchGetItem and BatchWriteItem.

#include <algorithm>
#include <span>

#include "wire/dax/reply.h"
#include "wire/dax/reply_parts.h"

namespace partita::wire::dax {

using api::CapacityDetail;

Result<void> BatchGetEncoder::begin() {
  for (size_t i = 0; i < reply_.parts.size(); ++i) {
    PARTITA_TRY(const model::KeySchema* const schema, schema_of(encoding_.tables, request_.parts[i].table));
    schemas_.push_back(schema);
    order_.push_back({i, nullptr});
    for (const auto& item : reply_.parts[i].items) {
      if (item.item) order_.push_back({i, &item});
    }
  }
  write_success(out_);
  out_.array(2);
  out_.map(reply_.parts.size());
  return {};
}

Result<void> BatchGetEncoder::write(const Element& element) {
  const auto& part = request_.parts[element.part];
  if (element.item == nullptr) {
    const auto found = [](const api::ReadItem& item) { return item.item.has_value(); };
    const auto items = static_cast<size_t>(std::ranges::count_if(reply_.parts[element.part].items, found));
    out_.text(part.table);
    out_.array(part.projection ? items : 2 * items);
    return {};
  }
  if (part.projection) return write_ordinals(out_, *element.item->item);
  if (!values_ || part_ != element.part) {
    part_ = element.part;
    values_.emplace(*schemas_[part_], encoding_.lists, encoding_.missing);
  }
  return values_->write_with_key(out_, *element.item->item);
}

// All tables are named, also those without an unprocessed key: one of the clients needs it.
Result<void> BatchGetEncoder::end() {
  std::vector<api::ConsumedCapacity> consumed;
  out_.map(reply_.parts.size());
  for (size_t i = 0; i < reply_.parts.size(); ++i) {
    const auto& part = reply_.parts[i];
    out_.text(request_.parts[i].table);
    out_.array(part.unprocessed.size());
    for (const size_t at : part.unprocessed) {
      PARTITA_TRY_VOID(write_checked_key(out_, request_.parts[i].keys[at], *schemas_[i]));
    }
    if (request_.capacity == CapacityDetail::kNone || part.consumed.table.empty()) continue;
    add_by_table(consumed, part.consumed);
  }
  out_.array(consumed.size());
  for (const auto& one : consumed) write_capacity(out_, one, request_.capacity);
  return {};
}

Result<Progress> BatchGetEncoder::next() {
  if (order_.empty()) PARTITA_TRY_VOID(begin());
  const auto write_one = [this](size_t at, size_t /*most_bytes*/) -> Result<size_t> {
    PARTITA_TRY_VOID(write(order_[at]));
    return size_t{1};
  };
  PARTITA_TRY(const Progress progress, elements_.next(out_, order_.size(), write_one));
  if (progress == Progress::kDone) PARTITA_TRY_VOID(end());
  return progress;
}

namespace {

// The actions at these positions among those of all parts, as they were sent: key and values, without values if it is a
// deletion.
Result<void> write_unprocessed(CborWriter& out, const api::BatchWriteRequest::Part& part, size_t begin,
                               std::span<const size_t> unprocessed, Encoding& encoding) {
  PARTITA_TRY(const model::KeySchema* const schema, schema_of(encoding.tables, part.table));
  ItemValues values(*schema, encoding.lists, encoding.missing);
  out.text(part.table);
  out.array(2 * unprocessed.size());
  for (const size_t at : unprocessed) {
    const api::WriteAction& action = part.actions[at - begin];
    if (action.kind == api::WriteAction::Kind::kPut) {
      PARTITA_TRY_VOID(values.write_with_key(out, std::string_view(action.item)));
    } else {
      PARTITA_TRY_VOID(write_checked_key(out, action.key, *schema));
      out.null();
    }
  }
  return {};
}

}  // namespace

Result<void> encode_batch_write(CborWriter& out, const api::BatchWriteRequest& request, const api::WritesReply& reply,
                                Encoding& encoding) {
  struct Rest {
    const api::BatchWriteRequest::Part* part;
    size_t begin;
    std::span<const size_t> unprocessed;
  };
  std::vector<Rest> rests;
  std::span<const size_t> left(reply.unprocessed);
  size_t begin = 0;
  for (const auto& part : request.parts) {
    const size_t end = begin + part.actions.size();
    const auto of_others = std::ranges::find_if(left, [end](size_t at) { return at >= end; });
    const std::span<const size_t> its(left.begin(), of_others);
    left = left.subspan(its.size());
    if (!its.empty()) rests.push_back({&part, begin, its});
    begin = end;
  }
  write_success(out);
  out.map(rests.size());
  for (const Rest& rest : rests) {
    PARTITA_TRY_VOID(write_unprocessed(out, *rest.part, rest.begin, rest.unprocessed, encoding));
  }
  const auto sums = sums_by_table(reply, request.capacity);
  out.array(sums.size());
  for (const auto& one : sums) write_capacity(out, one, request.capacity);
  write_collections(out, reply.collections);
  return {};
}

}  // namespace partita::wire::dax
