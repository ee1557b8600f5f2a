#include "table/items/commit.h"

#include <algorithm>

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Outcome;
using storage::Record;

struct TakenSlot {
  const TableInfo* table;
  CountSlots::Slot slot;
};

// The slots that one transaction has taken.
class TakenSlots {
 public:
  // Writes the rows of the counts as they will be.
  void put(const CountMoves& moves, Changes& changes) {
    for (const auto& [table, by] : moves.all()) {
      Counts after = slot_of(*table).held;
      after.add(by);
      std::string row;
      encode_counts(after, row);
      changes.put(table->slots->key_of(slot_of(*table)), std::move(row));
    }
  }

  // Nothing happened, or all of `moves` did.
  void give_back(const CountMoves* moves) {
    if (moves != nullptr) {
      for (const auto& [table, by] : moves->all()) slot_of(*table).held.add(by);
    }
    for (TakenSlot& one : taken_) one.table->slots->give_back(std::move(one.slot));
    taken_.clear();
  }

 private:
  CountSlots::Slot& slot_of(const TableInfo& table) {
    const auto found = std::ranges::find(taken_, &table, &TakenSlot::table);
    if (found != taken_.end()) return found->slot;
    return taken_.emplace_back(&table, table.slots->take()).slot;
  }

  std::vector<TakenSlot> taken_;
};

// One transaction's. In one place, so that its Decide is small enough to need no memory.
struct Turn {
  Decision decide(std::span<const Record* const> found, Changes& changes) {
    moves.clear();
    const Decision decision = evaluate(found, changes, moves);
    if (decision == Decision::kCommit) slots.put(moves, changes);
    return decision;
  }

  Evaluate evaluate;
  TakenSlots slots;
  CountMoves moves;
};

// What this process says of the counts until it asks the store again.
void move_tallies(const CountMoves& moves) {
  for (const auto& [table, counts] : moves.all()) {
    for (const auto& [id, count] : counts.all()) {
      const auto index = std::ranges::find(table->indexes, id, &IndexInfo::id);
      Tally& tally = index == table->indexes.end() ? *table->tally : *index->tally;
      tally.items += count.items;
      tally.bytes += count.bytes;
    }
  }
}

}  // namespace

void CountMoves::add(const TableInfo& table, const ItemChange& change) {
  add(table, model::kBaseIndex, change.count);
  for (const CountChange& one : change.index_counts) add(table, one.index, one.by);
}

void CountMoves::add(const TableInfo& table, uint16_t index, Count by) {
  if (by == Count()) return;
  auto found = std::ranges::find(moves_, &table, &std::pair<const TableInfo*, Counts>::first);
  if (found == moves_.end()) found = moves_.emplace(moves_.end(), &table, Counts());
  found->second.add(index, by);
}

Task<Result<Decision>> commit(storage::Engine& engine, std::span<const Table> tables, std::vector<storage::Key> keys,
                              Evaluate evaluate) {
  std::vector<storage::Compare> compare;
  for (size_t i = 0; i < tables.size(); ++i) {
    const auto before = tables.first(i);
    if (std::ranges::find(before, tables[i]) != before.end()) continue;
    const auto same = std::ranges::find(before, tables[i]->name, [](const Table& one) { return one->name; });
    if (same != before.end()) co_return TableContext::bind_again(tables);  // one of the two is not the newest
    compare.push_back({table_key(tables[i]->name), tables[i]->version});
  }
  Turn turn{evaluate, {}, {}};
  const storage::Decide decide = [&turn](auto found, Changes& changes) { return turn.decide(found, changes); };
  auto outcome = co_await engine.transact(std::move(keys), std::move(compare), decide);
  if (!outcome.ok()) {
    // When it is not known what happened, nor is what the slots hold: they are not used again.
    if (outcome.error().kind() != ErrorKind::kUnknown) turn.slots.give_back(nullptr);
    co_return std::move(outcome).error();
  }
  turn.slots.give_back(*outcome == Outcome::kCommitted ? &turn.moves : nullptr);
  if (*outcome == Outcome::kStale) co_return TableContext::bind_again(tables);
  if (*outcome == Outcome::kRefused) co_return Decision::kRefuse;
  move_tallies(turn.moves);
  co_return Decision::kCommit;
}

}  // namespace partita::table
