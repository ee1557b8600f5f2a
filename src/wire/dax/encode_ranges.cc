// Query and Scan.

#include "wire/dax/reply.h"
#include "wire/dax/reply_parts.h"

namespace partita::wire::dax {

Result<void> RangeEncoder::begin() {
  PARTITA_TRY(schema_, schema_of(encoding_.tables, request_.table));
  write_success(out_);
  out_.begin_map();
  if (request_.capacity != api::CapacityDetail::kNone && !reply_.consumed.table.empty()) {
    write_key_of(out_, ReplyKey::kConsumedCapacity);
    write_capacity(out_, reply_.consumed, request_.capacity);
  }
  values_.emplace(*schema_, encoding_.lists, encoding_.missing);
  if (request_.select == api::Select::kCount) return {};
  // Stored items are about as long: growing step by step would copy all of them once more.
  constexpr size_t kHeads = 16;
  if (!request_.projection) out_.room(reply_.bytes + kHeads * (reply_.items.size() + 4));
  write_key_of(out_, ReplyKey::kItems);
  out_.array(reply_.items.size());
  return {};
}

// Writes that item, and as many behind it as are like it. Returns how many.
Result<size_t> RangeEncoder::write(size_t item, size_t most_bytes) {
  if (request_.projection) {
    PARTITA_TRY_VOID(write_ordinals(out_, reply_.items[item]));
    return size_t{1};
  }
  const std::span<const api::FoundItem> items = std::span(reply_.items).subspan(item);
  if (const size_t alike = values_->write_alike_pairs(out_, items, most_bytes); alike != 0) return alike;
  out_.array(2);
  PARTITA_TRY_VOID(values_->write_with_key(out_, items.front()));
  return size_t{1};
}

Result<void> RangeEncoder::end() {
  write_key_of(out_, ReplyKey::kCount);
  out_.integer(static_cast<int64_t>(reply_.count));
  if (reply_.last_key) {
    write_key_of(out_, ReplyKey::kLastEvaluatedKey);
    if (request_.index) {
      write_compound_key(out_, *reply_.last_key);
    } else {
      PARTITA_TRY_VOID(write_checked_key(out_, *reply_.last_key, *schema_));
    }
  }
  write_key_of(out_, ReplyKey::kScannedCount);
  out_.integer(static_cast<int64_t>(reply_.scanned));
  out_.end();
  return {};
}

Result<Progress> RangeEncoder::next() {
  if (!values_) PARTITA_TRY_VOID(begin());
  if (request_.select != api::Select::kCount) {
    const auto write_one = [this](size_t item, size_t most_bytes) { return write(item, most_bytes); };
    PARTITA_TRY(const Progress progress, elements_.next(out_, reply_.items.size(), write_one));
    if (progress != Progress::kDone) return progress;
  }
  PARTITA_TRY_VOID(end());
  return Progress::kDone;
}

}  // namespace partita::wire::dax
