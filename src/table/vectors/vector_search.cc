#include "table/vectors/vector_search.h"

#include <algorithm>

#include "model/fault.h"
#include "model/item_codec.h"
#include "model/limits.h"
#include "storage/ranges.h"
#include "table/rows/vector_rows.h"
#include "table/vectors/vector_distance.h"

namespace partita::table {

namespace {

using expr::ConditionNode;
using expr::ConditionOp;
using expr::Operand;
using model::AttributeValue;
using model::Fault;
using model::Item;
using model::refuse;

constexpr size_t kSearchedRowsAtOnce = 4096;
constexpr size_t kSearchedBytesAtOnce = size_t{1} << 20;
// So many more candidates than are answered: a few may be gone by the time that they are read.
constexpr size_t kBeyond = 10;

// One equality, whichever side the attribute stands on.
struct Equality {
  const expr::Path* path = nullptr;
  const AttributeValue* value = nullptr;
};

std::optional<Equality> equality_in(const ConditionNode& node) {
  if (node.op != ConditionOp::kEqual) return std::nullopt;
  const Operand& left = node.operands[0];
  const Operand& right = node.operands[1];
  if (left.size || right.size || (left.value == nullptr) == (right.value == nullptr)) return std::nullopt;
  if (left.value == nullptr) return Equality{&left.path, right.value.get()};
  return Equality{&right.path, left.value.get()};
}

// False when there is anything but equalities.
bool collect(const ConditionNode& node, std::vector<Equality>& equalities) {
  if (node.op == ConditionOp::kAnd) {
    return std::ranges::all_of(node.children, [&](const auto& child) { return collect(child, equalities); });
  }
  const auto equality = equality_in(node);
  if (equality) equalities.push_back(*equality);
  return equality.has_value();
}

std::vector<Equality> equalities_of(const api::SearchRequest& request) {
  std::vector<Equality> equalities;
  if (request.condition) PARTITA_CHECK(collect(request.condition->root(), equalities));
  return equalities;
}

Result<void> check_named(const IndexInfo& index, const std::vector<Equality>& equalities) {
  for (const Equality& one : equalities) {
    if (index.vector->find(one.path->attribute) == nullptr) {
      return refuse(Fault::kSearchAttribute, {one.path->attribute});
    }
  }
  if (!std::ranges::all_of(equalities, [](const auto& one) { return one.path->is_attribute(); })) {
    return refuse(Fault::kSearchNested);
  }
  std::vector<std::string_view> names;
  for (const Equality& one : equalities) {
    if (std::ranges::find(names, one.path->attribute) != names.end()) return refuse(Fault::kSearchTwice);
    names.push_back(one.path->attribute);
  }
  return {};
}

Result<void> check_operands(const IndexInfo& index, const std::vector<Equality>& equalities) {
  for (const Equality& one : equalities) {
    const auto& [name, type] = index.vector->find(one.path->attribute)->attribute;
    if (!one.value->is(type)) {
      return refuse(Fault::kSearchOperandType,
                    {name, std::string(model::type_name(one.value->type())), std::string(model::type_name(type))});
    }
    const bool empty = type != model::Type::kN && one.value->as_bytes().empty();
    if (empty && index.keys.names(name)) {
      return refuse(Fault::kKeyEmpty, {name, type == model::Type::kS ? "string" : "binary"});
    }
  }
  return {};
}

Result<const IndexInfo*> searched_index(const TableInfo& table, const std::string& name) {
  const IndexInfo* index = table.find_index(name);
  const bool there = index != nullptr && index->vector && index->status != Status::kDeleting;
  const bool allocated = there && index->status == Status::kCreating && !index->backfilling;
  if (!there || allocated) return refuse(Fault::kIndexNotFound, {name});
  if (index->status != Status::kActive) return refuse(Fault::kVectorIndexBackfilling, {name});
  return index;
}

Result<void> check_sought(const IndexInfo& index, const api::SearchRequest& request) {
  if (!request.sought) return refuse(Fault::kSearchVectorInvalid);
  if (request.sought->size() == index.vector->dimensions) return {};
  return refuse(Fault::kSearchVectorSize,
                {std::to_string(request.sought->size()), std::to_string(index.vector->dimensions)});
}

storage::Range range_of(const SearchPlan& plan, const std::vector<Equality>& equalities) {
  std::vector<const AttributeValue*> partition;
  for (const auto& key : plan.index->keys.partition) {
    const auto of_key = [&](const Equality& one) { return one.path->attribute == key.name; };
    partition.push_back(std::ranges::find_if(equalities, of_key)->value);
  }
  return storage::range_of(model::collection_prefix(plan.table->id, plan.index->id, partition));
}

// A row that may be among the answer: only its key is kept, so that a search takes little memory.
struct Candidate {
  double score = 0;
  size_t place = 0;  // in the order of the keys
  std::string key;
};

// Whether one comes before another in the answer.
struct RankOrder {
  const Nearness& nearness;
  bool operator()(const Candidate& a, const Candidate& b) const {
    return a.score == b.score ? a.place < b.place : nearness.is_better(a.score, b.score);
  }
};

// The best rows so far.
class Best {
 public:
  Best(const Nearness& nearness, size_t most) : nearness_(nearness), most_(most) {}

  bool takes(double score) const { return heap_.size() < most_ || nearness_.is_better(score, heap_.front().score); }
  void take(double score, std::string_view key) {
    if (heap_.size() == most_) {
      std::ranges::pop_heap(heap_, RankOrder{nearness_});
      heap_.pop_back();
    }
    heap_.push_back({score, place_++, std::string(key)});
    std::ranges::push_heap(heap_, RankOrder{nearness_});
  }

  // The best first.
  std::vector<Candidate> sorted() && {
    std::ranges::sort_heap(heap_, RankOrder{nearness_});
    return std::move(heap_);
  }

 private:
  const Nearness& nearness_;
  size_t most_;
  size_t place_ = 0;
  std::vector<Candidate> heap_;  // the worst in front
};

// Whether the row has what the condition asks for beside the HASH, which all rows of the range have.
Result<bool> passes(const SearchPlan& plan, std::string_view row) {
  if (plan.filtered.empty()) return true;
  Item seen;
  for (const std::string& name : plan.filtered) {
    PARTITA_TRY(auto value, model::decode_attribute(row, name));
    if (value) seen.set(name, std::move(*value));
  }
  return expr::evaluate(*plan.request->condition, seen);
}

Result<void> score_page(const SearchPlan& plan, const Nearness& nearness, const storage::Page& page, Best& best,
                        size_t& bytes) {
  for (size_t i = 0; i < page.size(); ++i) {
    const std::string_view row = page[i].value;
    PARTITA_TRY(const bool wanted, passes(plan, row));
    if (!wanted) continue;
    PARTITA_TRY(const size_t size, model::encoded_item_size(row));
    bytes += size;
    PARTITA_TRY(const std::string_view vector, vector_in(*plan.index, row));
    const double score = nearness.score(vector);
    if (best.takes(score)) best.take(score, page[i].key);
  }
  return {};
}

// The row as the client wants it.
Result<api::SearchHit> hit_of(const SearchPlan& plan, std::string_view row) {
  const auto& projection = plan.request->projection;
  const std::string& attribute = plan.index->vector->attribute;
  api::SearchHit hit;
  PARTITA_TRY(Item item, model::decode_item(row));
  const AttributeValue* vector = item.find(attribute);
  const auto whole = [&](const expr::Path& path) { return path.is_attribute() && path.attribute == attribute; };
  const bool wanted = projection && projects_vector(*plan.index) && std::ranges::any_of(projection->paths(), whole);
  if (wanted && vector != nullptr) hit.vector = vector->as_binary();
  item.erase(attribute);
  hit.item = model::encode_item(projection ? expr::project(*projection, item) : item);
  return hit;
}

// A row that was read again, with the score that it has now.
struct Scored {
  double score = 0;
  std::string key;
  api::SearchHit hit;
  size_t bytes = 0;
};

// Reads as many as are to be answered of them, as they are now; those that are gone, or are not what
// the condition asks for any more, are left out. The nearest first, of equal ones in the order of keys.
Task<Result<std::vector<Scored>>> read_rows(VectorSearchContext& context, const SearchPlan& plan,
                                            const Nearness& nearness, std::vector<std::string> candidates) {
  constexpr size_t kSearchedAtOnce = 32;
  const size_t most = plan.request->top;
  std::vector<Scored> scored;
  for (size_t next = 0; next < candidates.size() && scored.size() < most;) {
    std::vector<storage::Key> keys;
    const size_t end = std::min(next + std::min(kSearchedAtOnce, most - scored.size()), candidates.size());
    for (; next < end; ++next) keys.push_back({std::move(candidates[next])});
    auto read = co_await context.tables().engine().read(keys);
    PARTITA_CO_TRY(const auto records, std::move(read));
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!records[i]) continue;
      const std::string& row = records[i]->value;
      PARTITA_CO_TRY(const bool wanted, passes(plan, row));
      if (!wanted) continue;
      Scored one;
      PARTITA_CO_TRY(one.bytes, model::encoded_item_size(row));
      PARTITA_CO_TRY(const std::string_view vector, vector_in(*plan.index, row));
      PARTITA_CO_TRY(one.hit, hit_of(plan, row));
      one.hit.score = one.score = nearness.score(vector);
      one.key = std::move(keys[i].bytes);
      scored.push_back(std::move(one));
    }
  }
  std::ranges::sort(scored, [&](const Scored& a, const Scored& b) {
    return a.score == b.score ? a.key < b.key : nearness.is_better(a.score, b.score);
  });
  co_return scored;
}

api::SearchReply answer_of(const SearchPlan& plan, std::vector<Scored> scored, size_t looked_at) {
  api::SearchReply outcome;
  outcome.attribute = plan.index->vector->attribute;
  outcome.consumed.table = plan.table->name;
  outcome.consumed.searched_bytes = vector_request_bytes(looked_at);
  size_t answered = 0;
  for (Scored& one : scored) {
    answered += one.bytes;
    if (answered > model::kMaxSearchBytes) break;
    outcome.hits.push_back(std::move(one.hit));
  }
  return outcome;
}

VectorGraphs::Collection collection_of(const SearchPlan& plan) { return {plan.table->id, *plan.index, plan.rows}; }

// By the graph of these rows: nothing when there is none.
Task<Result<std::optional<api::SearchReply>>> search_graph(VectorSearchContext& context, const SearchPlan& plan,
                                                           const Nearness& nearness) {
  std::optional<api::SearchReply> outcome;
  if (!plan.filtered.empty()) co_return outcome;
  const VectorGraphs::Collection collection = collection_of(plan);
  auto found = co_await context.graphs().nearest(collection, *plan.request->sought, plan.request->top + kBeyond);
  PARTITA_CO_TRY(auto keys, std::move(found));
  if (!keys) co_return outcome;
  const bool more = keys->size() > plan.request->top;
  PARTITA_CO_TRY(std::vector<Scored> scored, co_await read_rows(context, plan, nearness, std::move(*keys)));
  if (more && scored.size() < plan.request->top) co_return outcome;
  size_t bytes = 0;
  for (const Scored& one : scored) bytes += one.bytes;
  co_return answer_of(plan, std::move(scored), bytes);
}

// By a look at every row.
Task<Result<api::SearchReply>> search_all(VectorSearchContext& context, const SearchPlan& plan,
                                          const Nearness& nearness) {
  Best best(nearness, plan.request->top + kBeyond);
  storage::Range range = plan.rows;
  size_t bytes = 0, rows = 0, key_bytes = 0;
  for (bool more = true; more;) {
    auto scanned = co_await context.tables().engine().scan(range, storage::Direction::kAscending, kSearchedRowsAtOnce,
                                                           kSearchedBytesAtOnce);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    PARTITA_CO_TRY_VOID(score_page(plan, nearness, page, best, bytes));
    if (page.empty()) break;
    rows += page.size();
    key_bytes = page[0].key.size();
    more = storage::advance(range, page);
  }
  if (plan.filtered.empty() && rows >= context.tables().options().graph_rows) {
    context.graphs().want(collection_of(plan), rows, key_bytes);
  }
  std::vector<std::string> keys;
  for (Candidate& candidate : std::move(best).sorted()) keys.push_back(std::move(candidate.key));
  PARTITA_CO_TRY(std::vector<Scored> scored, co_await read_rows(context, plan, nearness, std::move(keys)));
  co_return answer_of(plan, std::move(scored), bytes);
}

Task<Result<api::SearchReply>> search(VectorSearchContext& context, const SearchPlan& plan) {
  const Nearness nearness(plan.index->vector->distance, *plan.request->sought);
  PARTITA_CO_TRY(auto outcome, co_await search_graph(context, plan, nearness));
  if (outcome) co_return std::move(*outcome);
  co_return co_await search_all(context, plan, nearness);
}

Access access_of(const SearchPlan& plan) {
  const api::SearchRequest& request = *plan.request;
  Access access;
  access.verb = Verb::kSearch;
  access.name = plan.table->name;
  access.table = plan.table.get();
  access.index = plan.index;
  access.projection = request.projection ? &*request.projection : nullptr;
  access.condition = request.condition ? &*request.condition : nullptr;
  return access;
}

}  // namespace

Result<void> check_search_condition(const expr::Condition& condition) {
  std::vector<Equality> equalities;
  if (!collect(condition.root(), equalities)) return refuse(Fault::kSearchComparator);
  return {};
}

Result<SearchPlan> bind(const api::SearchRequest& request, Table table) {
  SearchPlan plan;
  plan.table = std::move(table);
  plan.request = &request;
  PARTITA_TRY(plan.index, searched_index(*plan.table, request.index));
  PARTITA_TRY_VOID(check_sought(*plan.index, request));
  const std::vector<Equality> equalities = equalities_of(request);
  PARTITA_TRY_VOID(check_named(*plan.index, equalities));
  for (const auto& key : plan.index->keys.partition) {
    const auto of_key = [&](const Equality& one) { return one.path->attribute == key.name; };
    if (std::ranges::none_of(equalities, of_key)) return refuse(Fault::kSearchConditionMissing);
  }
  PARTITA_TRY_VOID(check_operands(*plan.index, equalities));
  plan.rows = range_of(plan, equalities);
  if (equalities.size() > plan.index->keys.partition.size()) plan.filtered = request.condition->attributes();
  return plan;
}

Result<void> admit(const SearchPlan& plan, AccessChecker& checker) { return checker.admit(access_of(plan)); }

void charge(const SearchPlan& plan, const api::SearchReply& outcome, AccessChecker& checker) {
  checker.charge(access_of(plan), outcome.consumed);
}

Task<Result<api::SearchReply>> run(VectorSearchContext& context, const SearchPlan& plan) {
  Executor* const home = Executor::current();
  if (home != nullptr) co_await context.workers().enter();
  auto outcome = co_await search(context, plan);
  co_await SwitchTo{home};
  co_return outcome;
}

}  // namespace partita::table
