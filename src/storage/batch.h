// For engines over a database: transactions that are made one. They are evaluated one behind the other over the same
// records, each sees what those before it write, and what all of them write is committed at once. So it does not matter
// how many of them are on one key, and each round trip and each flush of the database is shared.
//
//   Batch batch(transactions, limits);
//   for each of batch.wanted(): batch.found(index, what the store has)
//   batch.evaluate(draw_version);  // now each member has its outcome, if the batch commits
//   if (batch.has_effects()) commit what batch.rows() and batch.appends() say
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
#include "storage/engine.h"

namespace partita::storage {

// One call of transact(), as far as a batch knows it. Outlives the batch.
struct Transaction {
  std::vector<Key>& keys;
  std::vector<Compare>& compare;
  Decide& decide;

  Result<Outcome> outcome = Outcome::kRefused;
  std::exception_ptr failure = nullptr;  // memory that ran out in `decide`
  Version version{};
};

class Batch {
 public:
  Batch(std::vector<Transaction*> members, const Limits& limits);
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // What has to be looked at first, sorted; values only where one is wanted, else the version alone.
  struct Wanted {
    std::string_view key;
    bool value;
    bool settled;  // as of Key
  };
  std::vector<Wanted> wanted() const;
  // Of the n-th of wanted(). What is not told is absent.
  void found(size_t index, Version version, std::string_view value);

  // Once. Each member then has the outcome that it has if the batch commits. Once a batch writes as much as one should,
  // the members behind are none any more: they are returned.
  std::vector<Transaction*> evaluate(const std::function<Version()>& draw_version);
  // Otherwise nothing has to be committed.
  bool has_effects() const { return has_effects_; }

  const std::vector<Transaction*>& members() const { return members_; }

  struct Row {
    bool wanted = false;   // was looked at
    bool value = false;    // with its value
    bool checked = false;  // has to be as it was found when the batch commits
    bool written = false;
    bool settled = false;  // as of Key
    std::optional<Version> stored;
    std::optional<Record> now;
  };
  using Rows = std::map<std::string, Row, std::less<>>;
  // Of all keys that are looked at or written.
  const Rows& rows() const { return rows_; }
  // Of the members that commit, in their order.
  const std::vector<Changes::Append>& appends() const { return appends_; }

 private:
  void evaluate_one(Transaction& transaction, const std::function<Version()>& draw_version);
  Outcome decide(Transaction& transaction, Changes& changes);
  void apply(Transaction& transaction, Changes& changes);
  // What it saw must hold when the batch commits.
  void check(const Transaction& transaction);
  bool saw_pending(const Transaction& transaction) const;

  std::vector<Transaction*> members_;
  const Limits limits_;
  Rows rows_;
  std::vector<Rows::iterator> wanted_;
  std::vector<Changes::Append> appends_;
  size_t bytes_ = 0;  // that are written
  bool has_effects_ = false;
};

}  // namespace partita::storage
