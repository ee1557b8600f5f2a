// For engines over a database: merges transactions into one. They are evaluated one after the other over the same
// records, each sees what the previous ones write, and all their writes are committed together. Many transactions may
// therefore use the same key, and all share the round trips and the flush of the database.
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

// One call of transact(). Must outlive the batch.
struct Transaction {
  std::vector<Key>& keys;
  std::vector<Compare>& compare;
  Decide& decide;

  Result<Outcome> outcome = Outcome::kRefused;
  std::exception_ptr failure = nullptr;  // std::bad_alloc from `decide`
  Version version{};
};

class Batch {
 public:
  Batch(std::vector<Transaction*> members, const Limits& limits);
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // The rows to read first, sorted by key. If `value` is false, only the version is needed.
  struct Wanted {
    std::string_view key;
    bool value;
    bool read_mostly;  // see Key::read_mostly
  };
  std::vector<Wanted> wanted() const;
  // Reports the row at that index of wanted(). Rows that are not reported are absent.
  void found(size_t index, Version version, std::string_view value);

  // Call once. Each member then has the outcome that it has if the batch commits. Once a batch writes as much as one
  // batch should, the remaining members are removed from it and returned.
  std::vector<Transaction*> evaluate(const std::function<Version()>& draw_version);
  // Whether there is anything to commit.
  bool has_effects() const { return has_effects_; }

  const std::vector<Transaction*>& members() const { return members_; }

  struct Row {
    bool wanted = false;   // was read
    bool value = false;    // with its value
    bool checked = false;  // must be unchanged when the batch commits
    bool written = false;
    bool read_mostly = false;  // see Key::read_mostly
    std::optional<Version> stored;
    std::optional<Record> now;
  };
  using Rows = std::map<std::string, Row, std::less<>>;
  // All keys that are read or written.
  const Rows& rows() const { return rows_; }
  // Of the members that commit, in their order.
  const std::vector<Changes::Append>& appends() const { return appends_; }

 private:
  void evaluate_one(Transaction& transaction, const std::function<Version()>& draw_version);
  Outcome decide(Transaction& transaction, Changes& changes);
  void apply(Transaction& transaction, Changes& changes);
  // Requires that what the transaction saw still holds when the batch commits.
  void check(const Transaction& transaction);
  bool saw_pending(const Transaction& transaction) const;

  std::vector<Transaction*> members_;
  const Limits limits_;
  Rows rows_;
  std::vector<Rows::iterator> wanted_;
  std::vector<Changes::Append> appends_;
  size_t bytes_ = 0;  // to be written
  bool has_effects_ = false;
};

}  // namespace partita::storage
