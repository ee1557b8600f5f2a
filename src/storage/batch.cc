#include "storage/batch.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/check.h"

namespace partita::storage {

namespace {

// What a batch writes before it takes no more members.
constexpr size_t kEnoughBytes = size_t{2} << 20;

}  // namespace

Batch::Batch(std::vector<Transaction*> members, const Limits& limits) : members_(std::move(members)), limits_(limits) {
  for (const Transaction* const member : members_) {
    for (const Key& key : member->keys) {
      Row& row = rows_[key.bytes];
      row.wanted = row.value = true;
      row.read_mostly = key.read_mostly;
    }
    for (const Compare& one : member->compare) {
      Row& row = rows_[one.key.bytes];
      row.wanted = true;
      row.read_mostly = one.key.read_mostly;
    }
  }
  for (auto row = rows_.begin(); row != rows_.end(); ++row) wanted_.push_back(row);
}

std::vector<Batch::Wanted> Batch::wanted() const {
  std::vector<Wanted> wanted;
  wanted.reserve(wanted_.size());
  for (const Rows::iterator& row : wanted_) {
    wanted.push_back({row->first, row->second.value, row->second.read_mostly});
  }
  return wanted;
}

void Batch::found(size_t index, Version version, std::string_view value) {
  PARTITA_CHECK(index < wanted_.size());
  Row& row = wanted_[index]->second;
  row.stored = version;
  row.now.emplace(Record{std::string(value), version});
}

std::vector<Transaction*> Batch::evaluate(const std::function<Version()>& draw_version) {
  auto next = members_.begin();
  while (next != members_.end() && bytes_ < kEnoughBytes) evaluate_one(**next++, draw_version);
  std::vector<Transaction*> left(next, members_.end());
  members_.erase(next, members_.end());
  return left;
}

bool Batch::saw_pending(const Transaction& transaction) const {
  const auto is_pending = [this](const Key& key) { return rows_.find(key.bytes)->second.written; };
  return std::ranges::any_of(transaction.keys, is_pending) ||
         std::ranges::any_of(transaction.compare, [&](const Compare& one) { return is_pending(one.key); });
}

void Batch::check(const Transaction& transaction) {
  for (const Key& key : transaction.keys) rows_.find(key.bytes)->second.checked = true;
  for (const Compare& one : transaction.compare) rows_.find(one.key.bytes)->second.checked = true;
}

Outcome Batch::decide(Transaction& transaction, Changes& changes) {
  for (const Compare& one : transaction.compare) {
    const std::optional<Record>& now = rows_.find(one.key.bytes)->second.now;
    if (one.version != (now ? std::optional(now->version) : std::nullopt)) return Outcome::kStale;
  }
  std::vector<const Record*> found;
  found.reserve(transaction.keys.size());
  for (const Key& key : transaction.keys) {
    const std::optional<Record>& now = rows_.find(key.bytes)->second.now;
    found.push_back(now ? &*now : nullptr);
  }
  return transaction.decide(found, changes) == Decision::kCommit ? Outcome::kCommitted : Outcome::kRefused;
}

void Batch::evaluate_one(Transaction& transaction, const std::function<Version()>& draw_version) {
  Changes changes;
  transaction.failure = nullptr;
  try {
    transaction.outcome = decide(transaction, changes);
  } catch (const std::bad_alloc&) {
    transaction.failure = std::current_exception();
    transaction.outcome = Outcome::kRefused;
  }
  const bool commits = transaction.outcome.value() == Outcome::kCommitted;
  if (!commits) changes.clear();
  if (Result<void> fits = check_changes(limits_, changes); !fits.ok()) {
    transaction.outcome = std::move(fits).error();
    return;
  }
  // What only looked is of the moment of looking, unless it saw what is of the moment of the commit.
  if (!changes.empty() || saw_pending(transaction)) check(transaction);
  transaction.version = draw_version();
  apply(transaction, changes);
}

void Batch::apply(Transaction& transaction, Changes& changes) {
  has_effects_ = has_effects_ || !changes.empty();
  for (Changes::Write& write : changes.writes()) {
    Row& row = rows_[std::move(write.key.bytes)];
    row.written = true;
    row.read_mostly = write.key.read_mostly;
    row.now.reset();
    bytes_ += write.value ? write.value->size() : 0;
    if (write.value) row.now.emplace(Record{std::move(*write.value), transaction.version});
  }
  for (const Changes::Append& append : changes.appends()) bytes_ += append.entry.size();
  std::ranges::move(changes.appends(), std::back_inserter(appends_));
}

}  // namespace partita::storage
