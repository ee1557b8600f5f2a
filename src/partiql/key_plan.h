// The keys that a SELECT reads, derived from its WHERE clause. DynamoDB splits the clause into branches that each name
// one value of the partition key, and reads them one after the other. If a branch names none, the whole table is read.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "expr/condition.h"
#include "model/key.h"

namespace partita::partiql {

// A range of sort keys in their order-preserving form (model/key.h). Nullopt: no bound.
struct SortRange {
  struct Bound {
    std::string bytes;
    bool closed = true;
    const model::AttributeValue* value = nullptr;  // whose form `bytes` is; null for the end of a prefix
  };
  std::optional<Bound> lower;
  std::optional<Bound> upper;

  void narrow(const SortRange& other);
  bool is_empty() const;
  // Whether some key is in both. Precondition: neither is empty.
  bool overlaps(const SortRange& other) const;
};

struct Branch {
  const model::AttributeValue* partition = nullptr;  // null if it names none, or two
  std::string partition_bytes;                       // in the order-preserving form
  std::vector<const expr::ConditionNode*> sort;      // conditions on the sort key that can be looked up
  SortRange range;                                   // the range that these leave
  std::vector<const expr::ConditionNode*> filters;   // everything else
};

class KeyPlan {
 public:
  // `where` outlives the plan. Precondition: the schema has one partition attribute and at most one sort attribute.
  KeyPlan(const expr::ConditionNode& where, const model::KeySchema& schema);
  KeyPlan(const KeyPlan&) = delete;
  KeyPlan& operator=(const KeyPlan&) = delete;

  // Faults: kPartiqlKeyValueType, kPartiqlKeyType, kPartiqlTooManyReads, kPartiqlOverlap.
  Result<void> check() const;

  // Whether every branch names its partition.
  bool is_keyed() const { return keyed_; }
  // In the order of their partition keys, then of their sort keys.
  const std::vector<Branch>& branches() const { return branches_; }
  // Whether a condition on the sort key cannot be looked up, because of NOT or <>.
  bool is_negated(const Branch& branch) const;

 private:
  struct Disjunct {
    std::vector<const expr::ConditionNode*> keys;
    std::vector<const expr::ConditionNode*> filters;
  };

  std::vector<Disjunct> spread(const expr::ConditionNode& node);
  std::vector<Disjunct> spread_and(const expr::ConditionNode& node);
  std::vector<Disjunct> spread_in(const expr::ConditionNode& node);
  Branch branch_of(const Disjunct& spread) const;
  bool is_partition(const expr::ConditionNode& node) const;
  bool is_sort(const expr::ConditionNode& node) const;
  bool is_key(const expr::ConditionNode& node) const { return is_partition(node) || is_sort(node); }
  bool names_key(const expr::ConditionNode& node) const;
  bool pins_partition(const expr::ConditionNode& node) const;
  bool mentions_sort(const expr::ConditionNode& node) const;

  const model::KeyElement& partition_;
  const model::KeyElement* sort_;
  std::deque<expr::ConditionNode> made_;            // equalities made from IN
  std::vector<const expr::ConditionNode*> spoken_;  // conditions on keys, in the order of the text
  std::vector<Branch> branches_;
  bool keyed_ = false;
  bool pinned_ = false;
  bool too_many_ = false;  // branches; their number only grows as more of the condition is processed
};

}  // namespace partita::partiql
