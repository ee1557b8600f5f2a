#include "engines/postgres/batch.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "base/check.h"
#include "engines/postgres/schema.h"

namespace partita::postgres {

using namespace storage;
using Element = ArrayParameter::Element;

namespace {

// What a batch writes before it takes no more members.
constexpr size_t kEnoughBytes = size_t{2} << 20;

}  // namespace

Batch::Batch(std::vector<Transaction*> members, const Limits& limits) : members_(std::move(members)), limits_(limits) {
  for (const Transaction* const member : members_) {
    for (const Key& key : member->keys) {
      Row& row = rows_[key.bytes];
      row.wanted = row.value = true;
    }
    for (const Compare& one : member->compare) rows_[one.key.bytes].wanted = true;
  }
  for (auto row = rows_.begin(); row != rows_.end(); ++row) wanted_.push_back(row);
}

std::vector<Batch::Wanted> Batch::wanted() const {
  std::vector<Wanted> wanted;
  wanted.reserve(wanted_.size());
  for (const Rows::iterator& row : wanted_) wanted.push_back({row->first, row->second.value});
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
    row.now.reset();
    bytes_ += write.value ? write.value->size() : 0;
    if (write.value) row.now.emplace(Record{std::move(*write.value), transaction.version});
  }
  for (const Changes::Append& append : changes.appends()) bytes_ += append.entry.size();
  std::ranges::move(changes.appends(), std::back_inserter(appends_));
}

int32_t Batch::change_of(const Row& row) {
  const bool puts = row.written && row.now;
  if (!row.checked) return !row.written ? 0 : puts ? kBlindPut : kBlindErase;
  if (row.stored) return !row.written ? kShare : puts ? kUpdate : kDelete;
  return puts ? kInsert : kHold;
}

void Batch::add_commit(Parameters& parameters, bool by_itself) const {
  add_rows(parameters, by_itself);
  add_log(parameters);
}

void Batch::add_rows(Parameters& parameters, bool by_itself) const {
  int32_t kinds = by_itself ? kByItself : 0;
  std::array<int64_t, 6> want{};  // as partita_commit() has it
  ArrayParameter heads(Element::kBytes);
  ArrayParameter tails(Element::kBytes);
  ArrayParameter changes(Element::kInt32);
  ArrayParameter olds(Element::kInt64);
  ArrayParameter versions(Element::kInt64);
  ArrayParameter values(Element::kBytes);
  for (const auto& [key, row] : rows_) {
    const int32_t change = change_of(row);
    if (change == 0) continue;
    kinds |= change;
    if (change == kUpdate) ++want[0];
    if (change == kDelete) ++want[1];
    if (change == kShare) ++want[2];
    if (change == kInsert || change == kHold) ++want[3];
    if (change == kBlindPut) ++want[4];
    if (change == kBlindErase) ++want[5];
    const SplitKey parts = split(key);
    if (!parts.tail.empty()) kinds |= kHasTails;
    heads.add_bytes(parts.head);
    tails.add_bytes(parts.tail);
    changes.add_int32(change);
    row.stored ? olds.add_int64(to_sql(*row.stored)) : olds.add_null();
    const bool puts = row.written && row.now;
    versions.add_int64(puts ? to_sql(row.now->version) : 0);
    puts ? values.add_bytes(row.now->value) : values.add_null();
  }
  ArrayParameter wanted(Element::kInt64);
  for (const int64_t count : want) wanted.add_int64(count);
  parameters.add_int32(kinds);
  parameters.add_array(std::move(wanted));
  for (ArrayParameter* array : {&heads, &tails, &changes, &olds, &versions, &values}) {
    parameters.add_array(std::move(*array));
  }
}

void Batch::add_log(Parameters& parameters) const {
  std::map<std::string_view, int64_t> counts;  // sorted, as rows are: topics are locked in this order
  for (const Changes::Append& append : appends_) ++counts[append.topic];
  ArrayParameter topics(Element::kBytes);
  ArrayParameter sizes(Element::kInt64);
  ArrayParameter of_topic(Element::kInt32);
  ArrayParameter numbers(Element::kInt64);
  ArrayParameter entries(Element::kBytes);
  std::map<std::string_view, int32_t> place;
  for (const auto& [topic, count] : counts) {
    topics.add_bytes(topic);
    sizes.add_int64(count);
    place.emplace(topic, static_cast<int32_t>(place.size()) + 1);  // PostgreSQL's arrays begin at 1
  }
  std::map<std::string_view, int64_t> next;
  for (const Changes::Append& append : appends_) {
    of_topic.add_int32(place[append.topic]);
    numbers.add_int64(++next[append.topic]);
    entries.add_bytes(append.entry);
  }
  for (ArrayParameter* array : {&topics, &sizes, &of_topic, &numbers, &entries})
    parameters.add_array(std::move(*array));
}

}  // namespace partita::postgres
