#include "table/rows/job_row.h"

#include <algorithm>
#include <optional>

#include "base/bytes.h"
#include "model/item_codec.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

using model::AttributeValue;

bool is_known(char letter) {
  switch (static_cast<JobKind>(letter)) {
#define PARTITA_JOB(kind, letter, name) case JobKind::kind:
#define PARTITA_JOB_ABOVE PARTITA_JOB
#include "table/rows/job_kinds.inc"
#undef PARTITA_JOB_ABOVE
#undef PARTITA_JOB
    return is_stored(static_cast<JobKind>(letter));
  }
  return false;
}

AttributeValue number_of(uint64_t value) {
  return AttributeValue::number(model::Number::of(static_cast<int64_t>(value)));
}

AttributeValue bytes(uint64_t value) {
  std::string text;
  append_u64(text, value);
  return AttributeValue::binary(std::move(text));
}

// Reads the fields of a job's row. A missing one keeps its default.
class JobFields {
 public:
  explicit JobFields(const model::Item& item) : item_(item) {}

  template <class Whole>
  void take(std::string_view name, Whole& out) {
    const AttributeValue* value = find(name, model::Type::kN);
    if (value == nullptr) return;
    const auto number = value->as_number().to_int64();
    sound_ &= number.has_value();
    out = static_cast<Whole>(number.value_or(0));
  }
  void take_bytes(std::string_view name, uint64_t& out) {
    const AttributeValue* value = find(name, model::Type::kB);
    if (value == nullptr) return;
    std::string_view text = value->as_bytes();
    const auto number = take_u64(text);
    sound_ &= number.has_value();
    out = number.value_or(0);
  }
  const AttributeValue* find(std::string_view name, model::Type type) {
    const AttributeValue* value = item_.find(name);
    if (value == nullptr) return nullptr;
    sound_ &= value->is(type);
    return value->is(type) ? value : nullptr;
  }
  bool sound() const { return sound_; }

 private:
  const model::Item& item_;
  bool sound_ = true;
};

struct KeyParts {
  char kind;
  uint32_t table_id;
  uint16_t index_id;
};

std::optional<KeyParts> parts_of(std::string_view key) {
  key.remove_prefix(std::min(key.size(), system_key(SystemRow::kJob).bytes.size()));
  const auto kind = take_u8(key);
  const auto table_id = take_u32(key);
  const auto index_id = take_u16(key);
  if (!kind || !table_id || !index_id) return std::nullopt;
  return KeyParts{static_cast<char>(*kind), *table_id, *index_id};
}

Error damaged_job() { return Error(ErrorKind::kCorrupt, "a job's row is damaged"); }

}  // namespace

storage::Key job_key(JobKind kind, uint32_t table_id, uint16_t index_id) {
  std::string rest(1, static_cast<char>(kind));
  append_u32(rest, table_id);
  append_u16(rest, index_id);
  return system_key(SystemRow::kJob, rest);
}

storage::Key job_key(const Job& job) { return job_key(job.kind, job.table_id, job.index_id); }

std::string job_row(const Job& job) {
  model::Item item;
  if (!job.carried.empty()) item.set("carried", AttributeValue::binary(job.carried));
  item.set("claim", bytes(job.claim));
  item.set("counted_bytes", AttributeValue::number(model::Number::of(job.counted.bytes)));
  item.set("counted_items", AttributeValue::number(model::Number::of(job.counted.items)));
  item.set("counting", number_of(job.counting));
  item.set("cursor", AttributeValue::binary(job.cursor));
  item.set("done", number_of(job.done));
  item.set("ended_at", number_of(job.ended_at));
  item.set("forgotten", AttributeValue::boolean(job.forgotten));
  const auto& position = job.position.bytes;
  item.set("position", AttributeValue::binary(std::string(position.begin(), position.end())));
  item.set("run", number_of(job.run));
  item.set("table", AttributeValue::string(job.table));
  if (!job.topics.empty()) {
    AttributeValue::List topics;
    for (const std::string& topic : job.topics) topics.push_back(AttributeValue::binary(topic));
    item.set("topics", AttributeValue::list(std::move(topics)));
  }
  return model::encode_item(item);
}

Result<Job> job_from(std::string_view key, std::string_view row) {
  const std::optional<KeyParts> parts = parts_of(key);
  if (!parts) return damaged_job();
  if (!is_known(parts->kind)) {
    return Error(ErrorKind::kInvalid, "a job of a kind that only a newer version of Partita knows");
  }
  Job job;
  job.kind = static_cast<JobKind>(parts->kind);
  job.table_id = parts->table_id;
  job.index_id = parts->index_id;
  PARTITA_TRY(const model::Item item, model::decode_item(row));
  JobFields fields(item);
  fields.take_bytes("claim", job.claim);
  fields.take("counted_bytes", job.counted.bytes);
  fields.take("counted_items", job.counted.items);
  fields.take("counting", job.counting);
  fields.take("done", job.done);
  fields.take("ended_at", job.ended_at);
  fields.take("run", job.run);
  if (const auto* carried = fields.find("carried", model::Type::kB)) job.carried = carried->as_bytes();
  if (const auto* cursor = fields.find("cursor", model::Type::kB)) job.cursor = cursor->as_bytes();
  if (const auto* forgotten = fields.find("forgotten", model::Type::kBool)) job.forgotten = forgotten->as_bool();
  if (const auto* position = fields.find("position", model::Type::kB)) {
    if (position->as_bytes().size() != job.position.bytes.size()) return damaged_job();
    std::ranges::copy(position->as_bytes(), job.position.bytes.begin());
  }
  if (const auto* table = fields.find("table", model::Type::kS)) job.table = table->as_string();
  if (const auto* topics = fields.find("topics", model::Type::kL)) {
    for (const AttributeValue& topic : topics->as_list()) {
      if (!topic.is(model::Type::kB)) return damaged_job();
      job.topics.push_back(topic.as_bytes());
    }
  }
  if (!fields.sound()) return damaged_job();
  return job;
}

std::string describe_row(std::string_view key) {
  const std::optional<KeyParts> parts = parts_of(key);
  if (!parts) return "a job's row without a whole key";
  return std::string("the job's row ") + parts->kind + " of table " + std::to_string(parts->table_id) + ", index " +
         std::to_string(parts->index_id);
}

Task<Result<void>> put_job(storage::Engine& engine, Job job, std::vector<storage::Compare> compare) {
  std::vector<storage::Key> keys{job_key(job)};
  const storage::Decide decide = [&](std::span<const storage::Record* const> found, storage::Changes& changes) {
    if (found[0] != nullptr) return storage::Decision::kRefuse;
    changes.put(job_key(job), job_row(job));
    return storage::Decision::kCommit;
  };
  const auto put = co_await engine.transact(std::move(keys), std::move(compare), decide);
  if (!put.ok()) co_return put.error();
  co_return Result<void>();
}

}  // namespace partita::table
