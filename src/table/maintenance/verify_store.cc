#include "table/maintenance/verify_store.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "model/item_codec.h"
#include "storage/ranges.h"
#include "table/catalog/attribute_lists.h"
#include "table/catalog/catalog.h"
#include "table/catalog/second_copies.h"
#include "table/catalog/tokens.h"
#include "table/control/policy.h"
#include "table/maintenance/copy_store.h"
#include "table/maintenance/namespaces.h"
#include "table/maintenance/seed_mark.h"
#include "table/maintenance/verify_parts.h"
#include "table/rows/expiry_rows.h"
#include "table/rows/scaling_rows.h"
#include "table/rows/sink_rows.h"
#include "table/rows/system_rows.h"
#include "table/vectors/vector_log.h"

namespace partita::table {

namespace {

using storage::Page;

constexpr size_t kCheckedTopicsAtOnce = 100;
constexpr size_t kCheckedKeysAtOnce = 200;
constexpr size_t kShownBytes = 40;

std::string shown(const model::AttributeValue& value) {
  if (value.is(model::Type::kN)) return value.as_number().to_string();
  std::string text = value.is(model::Type::kS) ? "\"" : "0x";
  for (const char c : value.as_bytes().substr(0, kShownBytes)) {
    const bool plain = value.is(model::Type::kS) && c >= ' ' && c != 127;
    char escape[8];
    std::snprintf(escape, sizeof escape, value.is(model::Type::kS) ? "\\x%02x" : "%02x", static_cast<uint8_t>(c));
    text += plain ? std::string(1, c) : escape;
  }
  if (value.as_bytes().size() > kShownBytes) text += "...";
  return value.is(model::Type::kS) ? text + "\"" : text;
}

// The catalogue's rows, one letter at a time.
class CatalogReader {
 public:
  CatalogReader(Walker& walker, KnownStore& known, Verified& verified)
      : walker_(walker), known_(known), verified_(verified) {}

  Result<void> run() {
    const auto take = [this](const Page::Row& row) { take_row(row); };
    PARTITA_TRY_VOID(walker_.each_row(storage::range_of(std::string(sizeof(uint32_t), '\0')), take));
    check_ids();
    check_sinks();
    check_owners();
    return {};
  }

 private:
  void wrong(const std::string& sentence) { differ(verified_, walker_.options(), sentence); }

  void take_row(const Page::Row& row) {
    ++verified_.items;
    std::string_view rest = row.key.substr(sizeof(uint32_t));
    const auto letter = take_u8(rest);
    if (!letter) return wrong("The catalogue has a row without a name.");
    switch (static_cast<SystemRow>(*letter)) {
      case SystemRow::kTable:
        return take_table(std::string(rest), row);
      case SystemRow::kNextId: {
        std::string_view value = row.value;
        next_id_ = take_u32(value);
        if (!next_id_ || !value.empty()) wrong("The catalogue's next table id cannot be read.");
        return;
      }
      case SystemRow::kRevision:
        if (row.value.size() != sizeof(uint64_t)) wrong("The catalogue's revision cannot be read.");
        return;
      case SystemRow::kCount:
        return take_count(rest, row);
      case SystemRow::kJob:
        return take_job(row);
      case SystemRow::kExpiry:
        if (const auto id = take_u32(rest)) owners_["expiry rows"].insert(*id);
        return;
      case SystemRow::kPolicy:
        if (const auto id = take_u32(rest)) policies_.emplace_back(*id, rest);
        if (!model::decode_item(row.value).ok()) wrong("A resource policy cannot be read.");
        return;
      case SystemRow::kToken:
        if (!used_token(row.value).ok()) wrong("A ClientRequestToken cannot be read.");
        return;
      case SystemRow::kStream:
        return take_stream(rest, row);
      case SystemRow::kTrimmed:
        if (!trimmed_upto(storage::Record{std::string(row.value), {}}).ok()) {
          wrong("A row of a vector index's log cannot be read.");
        }
        return;
      case SystemRow::kAccount:  // iam knows what they mean
        if (rest.empty() && row.value.size() != sizeof(uint64_t)) wrong("The users' revision cannot be read.");
        return;
      case SystemRow::kScaling:
        if (!target_from(row.value).ok()) wrong("A scalable target cannot be read.");
        return;
      case SystemRow::kScalingLog:
        if (!check_scaling_log(row.key, row.value).ok()) wrong("An activity of auto scaling cannot be read.");
        return;
      case SystemRow::kCluster:
        return take_cluster(row.value);
      case SystemRow::kSink:
        return take_sink(rest, row.value);
      case SystemRow::kSeed:
        return take_seed(row.value);
      case SystemRow::kAlarm:
      case SystemRow::kAlarmHistory:
      case SystemRow::kAlarmNotices:
        if (!model::decode_item(row.value).ok()) wrong("An alarm, its history or its notices cannot be read.");
        return;
      case SystemRow::kNames:
        return take_names(attribute_list_id(rest), row.value);
      case SystemRow::kInsights:  // `metrics` knows what these mean
      case SystemRow::kMetrics:
      case SystemRow::kLedger:  // throttle knows what they mean
      case SystemRow::kCopy:
      case SystemRow::kProbe:
      case SystemRow::kOldTally:
        return;
    }
    wrong("The catalogue has a row of the unknown kind '" + std::string(1, static_cast<char>(*letter)) + "'.");
  }

  void take_sink(std::string_view rest, std::string_view row) {
    if (const auto id = take_u32(rest)) owners_["sinks"].insert(*id);
    auto sink = sink_from(row);
    if (!sink.ok()) return wrong("A sink cannot be read.");
    sinks_.push_back(std::move(*sink));
  }

  void take_seed(std::string_view row) {
    if (!decode_seeding(row).ok()) wrong("The row of what --seed has made cannot be read.");
  }

  void take_cluster(std::string_view row) {
    const bool known = take_u8(row) == kClusterFormat;
    if (!known || !model::decode_item(row).ok()) wrong("A cluster of DAX, a group of it or an event cannot be read.");
  }

  void take_names(uint64_t id, std::string_view row) {
    if (attribute_list_from(id, row).ok()) return;
    wrong("The attribute list " + std::to_string(id) + " cannot be read.");
  }

  void take_stream(std::string_view name, const Page::Row& row) {
    auto stream = decode_stream_row(row.value);
    if (!stream.ok()) return wrong("The stream '" + std::string(name) + "' cannot be read.");
    if (stream_row_key(stream->table, stream->label).bytes != row.key) {
      wrong("The stream " + stream->label + " of table " + stream->table + " has the row of another.");
    }
    known_.streams.push_back(std::move(*stream));
  }

  void take_table(const std::string& name, const Page::Row& row) {
    const auto item = model::decode_item(row.value);
    auto table = item.ok() ? table_from_item(*item) : Result<TableInfo>(item.error());
    if (!table.ok()) return wrong("The description of table " + name + " cannot be read.");
    if (table->name != name) return wrong("The row of table " + name + " describes table " + table->name + ".");
    if (!known_.ids.insert(table->id).second) return wrong("Table " + name + " has the id of another.");
    if (!Catalog::check_features(*table).ok()) {
      verified_.skipped.push_back("Table " + name + " uses a feature that this version does not know.");
      return;
    }
    known_.tables.emplace(name, std::move(*table));
  }

  void take_count(std::string_view rest, const Page::Row& row) {
    const auto id = take_u32(rest);
    const auto counts = decode_counts(row.value);
    if (!id || !counts.ok()) return wrong("A count cannot be read.");
    if (rest.empty()) known_.counted.insert(*id);
    known_.counts[*id].add(*counts);
    owners_["counts"].insert(*id);
  }

  void take_job(const Page::Row& row) {
    auto job = job_from(row.key, row.value);
    if (job.ok()) {
      known_.jobs.push_back(std::move(*job));
    } else if (job.error().kind() == ErrorKind::kInvalid) {
      verified_.skipped.push_back("There is " + std::string(job.error().sentence()) + ".");
    } else {
      wrong("A job cannot be read.");
    }
  }

  void check_ids() {
    for (const uint32_t id : known_.ids) {
      if (!next_id_ || id >= *next_id_) wrong("The id " + std::to_string(id) + " of a table was never given away.");
    }
  }

  // Whether what a write puts into the log of a sink is what the sink reads there.
  void check_sinks() {
    for (const Sink& sink : sinks_) {
      const auto table = known_.tables.find(sink.table);
      if (table == known_.tables.end() || table->second.id != sink.table_id || sink.deleting) continue;
      const bool whole = std::ranges::count(table->second.change_sinks, sink.number) > 0;
      if (whole == sink.changes) continue;
      wrong("The description of table " + sink.table + " does not say what the log of its sink " + sink.name + " has.");
    }
  }

  // Rows of tables that are gone.
  void check_owners() {
    for (const auto& [what, ids] : owners_) {
      for (const uint32_t id : ids) {
        if (known_.ids.contains(id) || known_.job(JobKind::kDropTable, id) != nullptr) continue;
        wrong("There are " + what + " of a table that is not there (id " + std::to_string(id) + ").");
      }
    }
    for (const auto& [id, stream] : policies_) {
      const bool of_stream = std::ranges::any_of(
          known_.streams, [&](const StreamRow& row) { return row.table_id == id && row.label == stream; });
      if (of_stream || known_.job(JobKind::kDropTable, id) != nullptr) continue;
      if (stream.empty() && known_.ids.contains(id)) continue;
      wrong("There is a policy of a table or stream that is not there (id " + std::to_string(id) + ").");
    }
  }

  Walker& walker_;
  KnownStore& known_;
  Verified& verified_;
  std::optional<uint32_t> next_id_;
  std::map<std::string, std::set<uint32_t>> owners_;
  std::vector<Sink> sinks_;
  std::vector<std::pair<uint32_t, std::string>> policies_;
};

// Rows of table ids that the catalogue does not know.
Result<void> find_rows_of_nobody(Walker& walker, const KnownStore& known, Verified& verified) {
  storage::Range range;
  range.begin = std::string("\0\0\0\1", sizeof(uint32_t));
  range.end = second_copies().begin;
  for (;;) {
    auto scanned = wait_for(walker.engine().scan(range, storage::Direction::kAscending, 1, 1));
    PARTITA_TRY(const Page page, std::move(scanned));
    if (page.empty()) return {};
    std::string_view key = page[0].key;
    const auto id = take_u32(key);
    if (!id) {
      differ(verified, walker.options(), "There is a row without a table.");
      range = storage::behind(page[0].key, std::move(range));
      continue;
    }
    if (!known.ids.contains(*id) && known.job(JobKind::kDropTable, *id) == nullptr) {
      differ(verified, walker.options(),
             "There are rows of a table that is not there (id " + std::to_string(*id) + ").");
    }
    const auto behind = prefix_end(page[0].key.substr(0, sizeof(uint32_t)));
    if (!behind) return {};
    range.begin = *behind;
  }
}

// Logs that nobody reads: they only take room.
bool has_owner(const KnownStore& known, std::string_view topic) {
  if (is_topic_beside(topic)) return true;
  const auto is_of = [&topic](std::string_view kind) {
    if (!topic.starts_with(kind)) return false;
    topic.remove_prefix(kind.size());
    return true;
  };
  if (is_of("stream")) {
    const auto id = take_u32(topic);
    const auto created = take_u64(topic);
    return std::ranges::any_of(known.streams, [&](const StreamRow& row) {
      return row.table_id == id && static_cast<uint64_t>(row.created_ms) == created;
    });
  }
  if (!is_of("vector") && !is_of("count") && !is_of("sink")) return false;
  const auto id = take_u32(topic);
  return std::ranges::any_of(known.tables, [&](const auto& one) { return one.second.id == id; });
}

Result<void> look_at_topics(Walker& walker, const KnownStore& known, Verified& verified) {
  std::string after;
  for (size_t strays = 0;;) {
    auto listed = wait_for(walker.engine().topics(after, kCheckedTopicsAtOnce));
    // Not every engine lists them.
    if (!listed.ok() && listed.error().kind() == ErrorKind::kUnavailable) return {};
    PARTITA_TRY(const std::vector<std::string> topics, std::move(listed));
    strays +=
        static_cast<size_t>(std::ranges::count_if(topics, [&](const auto& one) { return !has_owner(known, one); }));
    if (!topics.empty()) {
      after = topics.back();
      continue;
    }
    if (strays > 0) {
      verified.skipped.push_back(std::to_string(strays) + (strays == 1 ? " log belongs" : " logs belong") +
                                 " to nothing that is there any more.");
    }
    return {};
  }
}

// That the table's description and the stream's row say the same.
void check_streams(const KnownStore& known, const TableInfo& table, const VerifyOptions& options, Verified& verified) {
  if (!table.stream.enabled || table.stream.shards.empty()) return;
  const auto row = std::ranges::find_if(
      known.streams, [&](const StreamRow& one) { return one.table_id == table.id && one.label == table.stream.label; });
  if (row == known.streams.end()) return differ(verified, options, "The row of its stream is missing.");
  if (row->shards != table.stream.shards || row->view_type != table.stream.view_type || row->ended_ms != 0) {
    differ(verified, options, "The row of its stream is not what its description says.");
  }
}

}  // namespace

const Job* KnownStore::job(JobKind kind, uint32_t table_id, uint16_t index_id) const {
  const auto found = std::ranges::find_if(
      jobs, [&](const Job& one) { return one.kind == kind && one.table_id == table_id && one.index_id == index_id; });
  return found == jobs.end() ? nullptr : &*found;
}

Result<void> Walker::tell(size_t rows, size_t bytes) {
  rows_ += rows;
  bytes_ += bytes;
  if (!options_.progress || options_.progress(rows_, bytes_)) return {};
  return Error(ErrorKind::kUnavailable, "It was stopped.");
}

Result<void> Walker::each_row(storage::Range range, UseRow use) {
  for (bool more = true; more;) {
    auto scanned =
        wait_for(engine_.scan(range, storage::Direction::kAscending, options_.page_rows, options_.page_bytes));
    PARTITA_TRY(const Page page, std::move(scanned));
    for (size_t i = 0; i < page.size(); ++i) use(page[i]);
    more = storage::advance(range, page);
    PARTITA_TRY_VOID(tell(page.size(), page.bytes()));
  }
  return {};
}

Result<void> Walker::each_entry(const std::string& topic, UseEntry use) {
  for (storage::Position at{};;) {
    auto read = wait_for(engine_.read_log(topic, at, options_.page_rows, options_.page_bytes));
    PARTITA_TRY(const std::vector<storage::LogEntry> entries, std::move(read));
    if (entries.empty()) return {};
    size_t bytes = 0;
    for (const storage::LogEntry& one : entries) {
      use(one);
      bytes += one.entry.size();
    }
    at = entries.back().position;
    PARTITA_TRY_VOID(tell(entries.size(), bytes));
  }
}

Result<void> Lookups::want(storage::Key key, std::string wanted, std::string about) {
  keys_.push_back(std::move(key));
  expected_.push_back({std::move(wanted), std::move(about)});
  return keys_.size() < kCheckedKeysAtOnce ? Result<void>() : finish();
}

Result<void> Lookups::finish() {
  if (keys_.empty()) return {};
  PARTITA_TRY(const auto records, walker_.read(keys_));
  for (size_t i = 0; i < keys_.size(); ++i) compare_(expected_[i].about, keys_[i], expected_[i].wanted, records[i]);
  keys_.clear();
  expected_.clear();
  return {};
}

void differ(Verified& verified, const VerifyOptions& options, std::string sentence) {
  if (verified.differences++ < options.named) verified.named.push_back(std::move(sentence));
}

std::string shown_key(const TableInfo& table, const model::Item& item) {
  std::string text;
  for (const auto* elements : {&table.keys.partition, &table.keys.sort}) {
    for (const auto& element : *elements) {
      const auto* value = item.find(element.name);
      text += (text.empty() ? "" : ", ") + element.name + " = " + (value == nullptr ? "nothing" : shown(*value));
    }
  }
  return text;
}

Result<std::vector<Verified>> verify_store(storage::Engine& engine, const VerifyOptions& options) {
  PARTITA_TRY_VOID(wait_for(refuse_half_copy(engine)));
  Walker walker(engine, options);
  KnownStore known;
  std::vector<Verified> report(1);
  PARTITA_TRY_VOID(CatalogReader(walker, known, report[0]).run());
  PARTITA_TRY_VOID(find_rows_of_nobody(walker, known, report[0]));
  PARTITA_TRY_VOID(look_at_topics(walker, known, report[0]));
  for (const auto& [name, table] : known.tables) {
    Verified verified;
    verified.table = name;
    PARTITA_TRY_VOID(verify_table(walker, known, table, verified));
    check_streams(known, table, options, verified);
    for (const StreamRow& stream : known.streams) {
      if (stream.table_id == table.id) PARTITA_TRY_VOID(verify_stream(walker, table, stream, verified));
    }
    report.push_back(std::move(verified));
  }
  // What differs otherwise is told as what it means.
  if (std::ranges::all_of(report, [](const Verified& one) { return one.differences == 0; })) {
    PARTITA_TRY(const uint64_t copies, wait_for(differing_second_copies(engine)));
    if (copies > 0) {
      differ(report[0], options, "Of " + std::to_string(copies) + " rows the second copies differ or are missing.");
    }
  }
  return report;
}

}  // namespace partita::table
