// TransactGetItems and TransactWriteItems.

#include "wire/dax/reply.h"
#include "wire/dax/reply_parts.h"

namespace partita::wire::dax {

using api::CapacityDetail;

namespace {

void write_transaction_capacities(CborWriter& out, const std::vector<api::ConsumedCapacity>& sums,
                                  CapacityDetail detail, TransactionKind kind) {
  out.array(sums.size());
  for (const auto& one : sums) write_transaction_capacity(out, one, detail, kind);
}

}  // namespace

Result<void> TransactGetEncoder::write(size_t part) {
  const api::ReadItem& read = reply_.items[part];
  const auto& request = request_.parts[part];
  if (!api::is_shown(read)) return out_.null(), Result<void>();
  if (request.projection) return write_ordinals(out_, *read.item);
  PARTITA_TRY(const model::KeySchema* const schema, schema_of(encoding_.tables, request.table));
  ItemValues values(*schema, encoding_.lists, encoding_.missing);
  return values.write(out_, *read.item);
}

Result<Progress> TransactGetEncoder::next() {
  if (!begun_) {
    begun_ = true;
    write_success(out_);
    out_.array(2);
    out_.array(reply_.items.size());
  }
  const auto write_one = [this](size_t part, size_t /*most_bytes*/) -> Result<size_t> {
    PARTITA_TRY_VOID(write(part));
    return size_t{1};
  };
  PARTITA_TRY(const Progress progress, elements_.next(out_, reply_.items.size(), write_one));
  if (progress != Progress::kDone) return progress;
  std::vector<api::ConsumedCapacity> sums;
  if (request_.capacity != CapacityDetail::kNone) {
    for (const auto& consumed : reply_.consumed) add_by_table(sums, consumed);
  }
  write_transaction_capacities(out_, sums, request_.capacity, TransactionKind::kRead);
  return Progress::kDone;
}

void encode_transact_write(CborWriter& out, const api::TransactWriteRequest& request, const api::WritesReply& reply) {
  write_success(out);
  out.array(3);
  out.array(0);  // the items, which no client requests
  const auto sums = sums_by_table(reply, request.capacity);
  const auto kind = reply.repeated ? TransactionKind::kRead : TransactionKind::kWrite;
  write_transaction_capacities(out, sums, request.capacity, kind);
  write_collections(out, reply.collections);
}

}  // namespace partita::wire::dax
