#include <algorithm>
#include <utility>

#include "storage/ranges.h"
#include "table/maintenance/repair_parts.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

using storage::Range;

std::string counted_items(int64_t count) { return std::to_string(count) + (count == 1 ? " item" : " items"); }

// What is lost of one table: how many items, between which, and those whose keys are known.
class LossesOfTable {
 public:
  LossesOfTable(Repair& repair, const TableInfo& table)
      : repair_(repair),
        table_(table),
        loss_(repair.losses[table.name]),
        items_(storage::range_of(model::index_prefix(table.id, model::kBaseIndex))) {}

  void tell() {
    if (loss_.lost_items && *loss_.lost_items > 0) {
      say(counted_items(*loss_.lost_items) + " of " + std::to_string(loss_.items_before) +
          (*loss_.lost_items == 1 ? " is" : " are") + " lost.");
    }
    tell_keys();
    if (!loss_.lost_items || *loss_.lost_items > 0) tell_places();
  }

 private:
  void say(const std::string& what) { repair_.report.losses.push_back("Table " + table_.name + ": " + what); }

  void tell_keys() {
    for (const std::string& key : repair_.options.unsure) {
      const auto keys = in(key, items_) ? keys_of_row(table_, nullptr, key) : std::nullopt;
      if (keys) repair_.lose_item(table_, *keys);
    }
    for (const std::string& key : loss_.keys) say("the item with " + key + " is lost.");
    if (loss_.has_more_keys) say("more items are lost.");
  }

  // Between which items, in the order of a Scan, something cannot be read.
  void tell_places() {
    std::set<std::string> places;
    uint64_t more = 0;
    for (const LostRows& lost : repair_.options.rows) {
      const bool touches =
          (items_.end.empty() || lost.after < items_.end) && (lost.before.empty() || lost.before > items_.begin);
      if (!touches) continue;
      const std::string from = in(lost.after, items_) ? shown(lost.after) : "";
      const std::string to = in(lost.before, items_) ? shown(lost.before) : "";
      std::string place = from.empty() && to.empty() ? "anywhere"
                          : from.empty()             ? "before " + to
                          : to.empty()               ? "behind " + from
                                                     : "between " + from + " and " + to;
      if (places.size() < repair_.options.named) {
        places.insert(std::move(place));
      } else {
        ++more;
      }
    }
    for (const std::string& place : places) {
      say("items " + place + ", in the order of a Scan, may be lost.");
    }
    if (more > 0) say("and in " + std::to_string(more) + " more places.");
  }

  std::string shown(const std::string& key) const {
    const auto keys = keys_of_row(table_, nullptr, key);
    return keys ? shown_key(table_, *keys) : "an item whose key cannot be read";
  }
  static bool in(std::string_view key, const Range& range) {
    return key >= range.begin && (range.end.empty() || key < range.end);
  }

  Repair& repair_;
  const TableInfo& table_;
  TableLoss& loss_;
  const Range items_;
};

// Whether both copies of these rows may have lost something.
bool is_lost_twice(const Repair& repair, SystemRow kind) {
  const storage::Key key = system_key(kind);
  return repair.is_lost_in(system_rows(kind)) && repair.is_lost_in(storage::range_of(second_copy(key).bytes));
}

void tell_catalog(Repair& repair) {
  const std::pair<SystemRow, const char*> kinds[] = {
      {SystemRow::kTable, "Descriptions of tables may be lost: compare what ListTables says with what there was."},
      {SystemRow::kPolicy, "Resource policies may be lost: look through those of all tables before you serve them."},
      {SystemRow::kAccount, "Users, groups, roles or policies may be lost: look through them before you serve them."},
      {SystemRow::kAlarm, "Alarms may be lost: compare what DescribeAlarms says with what there was."},
      {SystemRow::kCluster,
       "DAX's cluster or its groups may be lost: compare what DescribeClusters says with what there was."},
      {SystemRow::kSink, "Sinks may be lost: compare what `partita sink list` says with what there was."},
      {SystemRow::kNames, "Attribute lists may be lost: restart the clients that use DAX."},
      {SystemRow::kStream, "Streams that were switched off may be lost."}};
  for (const auto& [kind, sentence] : kinds) {
    if (is_lost_twice(repair, kind)) repair.report.losses.emplace_back(sentence);
  }
  if (repair.is_lost_in(system_rows(SystemRow::kToken))) {
    repair.report.losses.emplace_back(
        "ClientRequestTokens of the last ten minutes may be lost: a transaction that is sent again may be done twice.");
  }
}

// Topics are named by what they are of, and a table's id.
void tell_logs(Repair& repair) {
  constexpr std::string_view kStream = "stream";
  for (const auto& [name, table] : repair.known.tables) {
    if (!std::ranges::any_of(repair.known.streams, [&](const auto& row) { return row.table_id == table.id; })) continue;
    std::string topic(kStream);
    append_u32(topic, table.id);
    const Range topics = storage::range_of(topic);
    const bool lost = std::ranges::any_of(repair.options.entries, [&](const LostRows& one) {
      return (topics.end.empty() || one.after < topics.end) && (one.before.empty() || one.before >= topics.begin);
    });
    if (lost) repair.report.losses.push_back("Table " + name + ": records of its streams are lost.");
  }
}

}  // namespace

void tell_losses(Repair& repair) {
  tell_catalog(repair);
  for (const auto& [name, table] : repair.known.tables) LossesOfTable(repair, table).tell();
  tell_logs(repair);
}

}  // namespace partita::table
