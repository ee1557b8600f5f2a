#include "engines/foundationdb/records.h"

#include "storage/exclusive_engine.h"

namespace partita::foundationdb {

using namespace storage;

Error error_of(int code) {
  if (code == kHeld) return store_held_exclusively();
  if (code == kHoldLost) {
    return Error(ErrorKind::kUnavailable,
                 "Servers use the store again, since nothing was heard of this copy for some seconds: run it again.");
  }
  if (code != kDamaged) return to_error(code);
  return Error(ErrorKind::kCorrupt, "The store in FoundationDB has rows that Partita has not written so.");
}

RecordSlices::RecordSlices(TxnAttempt& attempt, const RowKeys& names, std::string_view key, const RecordHeader& header)
    : attempt_(&attempt),
      left_(names.slices(key)),
      version_(header.version),
      bytes_(header.sliced_bytes),
      rows_(attempt.get_range(left_, Direction::kAscending, slices_of(bytes_) + 1, kMaxPageBytes)) {}

Task<int> RecordSlices::join(std::string& value, Executor& fallback) {
  value.reserve(bytes_);
  for (;;) {
    const int code = co_await rows_.done(fallback);
    if (code != 0) co_return code;
    const Future::Rows found = rows_.rows();
    std::string_view last;
    for (const FdbKeyValue& row : found.rows) {
      last = {reinterpret_cast<const char*>(row.key), static_cast<size_t>(row.key_size)};
      value.append(reinterpret_cast<const char*>(row.value), static_cast<size_t>(row.value_size));
    }
    if (!found.more || found.rows.empty()) break;
    left_.begin.assign(last).push_back('\0');
    rows_ = attempt_->get_range(left_, Direction::kAscending, slices_of(bytes_), kMaxPageBytes);
  }
  co_return value.size() == bytes_ ? 0 : kDamaged;
}

}  // namespace partita::foundationdb
