#include "table/vectors/vector_log.h"

#include <cstring>
#include <optional>

#include "base/bytes.h"
#include "storage/ranges.h"
#include "table/rows/system_rows.h"
#include "table/rows/vector_rows.h"

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Position;
using storage::Record;

constexpr size_t kMostEntries = 10'000;
constexpr size_t kLogBytesAtOnce = size_t{16} << 20;

std::string encoded(const Position& position) {
  return std::string(reinterpret_cast<const char*>(position.bytes.data()), position.bytes.size());
}

std::string ids(uint32_t table_id, uint16_t index_id) {
  std::string bytes;
  append_u32(bytes, table_id);
  append_u16(bytes, index_id);
  return bytes;
}

Result<Position> decode_position(std::string_view bytes) {
  Position position;
  if (bytes.size() != position.bytes.size())
    return Error(ErrorKind::kCorrupt, "a row of a vector index's log is damaged");
  std::memcpy(position.bytes.data(), bytes.data(), bytes.size());
  return position;
}

class VectorLogMaker final : public RowMaker {
 public:
  bool applies_to(const TableInfo& table) const override { return has_vectors(table); }

  void change_index_row(const TableInfo& table, const IndexInfo& index, const IndexRowKeys& keys,
                        Changes& changes) const override {
    if (!index.vector) return;
    const std::string topic = vector_topic(table.id, index.id);
    const bool moved = keys.before != nullptr && (keys.after == nullptr || !(*keys.before == *keys.after));
    if (moved) changes.append(topic, keys.before->bytes);
    if (keys.after != nullptr) changes.append(topic, keys.after->bytes);
  }
};

constinit const VectorLogMaker kMaker;

}  // namespace

const RowMaker& vector_log_maker() { return kMaker; }

storage::Key trimmed_key(uint32_t table_id, uint16_t index_id) {
  return system_key(SystemRow::kTrimmed, ids(table_id, index_id));
}

storage::Range trimmed_rows(uint32_t table_id) {
  std::string prefix;
  append_u32(prefix, table_id);
  return storage::range_of(system_key(SystemRow::kTrimmed, prefix).bytes);
}

Result<Position> trimmed_upto(const std::optional<Record>& row) {
  return row ? decode_position(row->value) : Position{};
}

Task<Result<void>> trim_vector_log(storage::Engine& engine, uint32_t table_id, uint16_t index_id) {
  const std::string topic = vector_topic(table_id, index_id);
  for (;;) {
    auto read = co_await engine.read_log(topic, Position{}, kMostEntries, kLogBytesAtOnce);
    PARTITA_CO_TRY(const auto entries, std::move(read));
    if (entries.size() < kMostEntries) co_return Result<void>();
    const Position upto = entries[entries.size() / 2].position;
    std::vector<storage::Key> keys{trimmed_key(table_id, index_id)};
    const storage::Key key = keys[0];
    std::vector<storage::Compare> none;
    const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
      const auto before = found[0] == nullptr ? Result<Position>(Position{}) : decode_position(found[0]->value);
      if (before.ok() && *before >= upto) return Decision::kRefuse;
      changes.put(key, encoded(upto));
      return Decision::kCommit;
    };
    const auto said = co_await engine.transact(std::move(keys), std::move(none), decide);
    if (!said.ok()) co_return said.error();
    auto trimmed = co_await engine.trim_log(topic, upto);
    if (!trimmed.ok()) co_return std::move(trimmed).error();
  }
}

Task<Result<void>> forget_vector_log(storage::Engine& engine, uint32_t table_id, uint16_t index_id) {
  std::string topic = vector_topic(table_id, index_id);
  auto forgotten = co_await engine.forget_log(std::move(topic));
  if (!forgotten.ok()) co_return std::move(forgotten).error();
  co_return co_await engine.erase_range(storage::range_of(trimmed_key(table_id, index_id).bytes));
}

}  // namespace partita::table
