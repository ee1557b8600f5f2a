// Transactions that are made one: they are evaluated one behind the other over the same records, each sees what those
// before it write, and what all of them write is committed at once. So it does not matter how many of them are on one
// key, and each round trip and each flush of PostgreSQL's disk is shared.
//
//   Batch batch(transactions);
//   for each of batch.keys(): batch.found(index, what the store has)
//   batch.evaluate(draw_version);  // now each member has its outcome, if the batch commits
//   if (batch.has_effects()) batch.add_commit(parameters);
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engines/postgres/parameters.h"
#include "storage/engine.h"

namespace partita::postgres {

// One call of transact(), as far as a batch knows it. Outlives the batch.
struct Transaction {
  std::vector<storage::Key>& keys;
  std::vector<storage::Compare>& compare;
  storage::Decide& decide;

  Result<storage::Outcome> outcome = storage::Outcome::kRefused;
  std::exception_ptr failure = nullptr;  // memory that ran out in `decide`
  storage::Version version{};
};

class Batch {
 public:
  Batch(std::vector<Transaction*> members, const storage::Limits& limits);
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // What has to be looked at first, sorted; values only where one is wanted, else the version alone.
  struct Wanted {
    std::string_view key;
    bool value;
  };
  std::vector<Wanted> wanted() const;
  // Of the n-th of wanted(). What is not told is absent.
  void found(size_t index, storage::Version version, std::string_view value);

  // Once. Each member then has the outcome that it has if the batch commits. Once a batch writes as much as one should,
  // the members behind are none any more: they are returned.
  std::vector<Transaction*> evaluate(const std::function<storage::Version()>& draw_version);
  // Otherwise nothing has to be committed.
  bool has_effects() const { return has_effects_; }
  // Those of Statement::kCommit behind the mark and its count. `by_itself`: see Change.
  void add_commit(Parameters& parameters, bool by_itself = false) const;

  const std::vector<Transaction*>& members() const { return members_; }

 private:
  struct Row {
    bool wanted = false;   // was looked at
    bool value = false;    // with its value
    bool checked = false;  // has to be as it was found when the batch commits
    bool written = false;
    std::optional<storage::Version> stored;
    std::optional<storage::Record> now;
  };
  using Rows = std::map<std::string, Row, std::less<>>;

  void evaluate_one(Transaction& transaction, const std::function<storage::Version()>& draw_version);
  storage::Outcome decide(Transaction& transaction, storage::Changes& changes);
  void apply(Transaction& transaction, storage::Changes& changes);
  // What it saw must hold when the batch commits.
  void check(const Transaction& transaction);
  bool saw_pending(const Transaction& transaction) const;
  static int32_t change_of(const Row& row);
  void add_rows(Parameters& parameters, bool by_itself) const;
  void add_log(Parameters& parameters) const;

  std::vector<Transaction*> members_;
  const storage::Limits limits_;
  Rows rows_;
  std::vector<Rows::iterator> wanted_;
  std::vector<storage::Changes::Append> appends_;
  size_t bytes_ = 0;  // that are written
  bool has_effects_ = false;
};

}  // namespace partita::postgres
