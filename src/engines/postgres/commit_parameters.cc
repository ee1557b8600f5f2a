#include "engines/postgres/commit_parameters.h"

#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "engines/postgres/schema.h"

namespace partita::postgres {

using namespace storage;
using Element = ArrayParameter::Element;

namespace {

int32_t change_of(const Batch::Row& row) {
  const bool puts = row.written && row.now;
  if (!row.checked) return !row.written ? 0 : puts ? kBlindPut : kBlindErase;
  if (row.stored) return !row.written ? kShare : puts ? kUpdate : kDelete;
  return puts ? kInsert : kHold;
}

void add_rows(Parameters& parameters, const Batch& batch, bool by_itself) {
  int32_t kinds = by_itself ? kByItself : 0;
  std::array<int64_t, 6> want{};  // as partita_commit() has it
  ArrayParameter heads(Element::kBytes);
  ArrayParameter tails(Element::kBytes);
  ArrayParameter changes(Element::kInt32);
  ArrayParameter olds(Element::kInt64);
  ArrayParameter versions(Element::kInt64);
  ArrayParameter values(Element::kBytes);
  for (const auto& [key, row] : batch.rows()) {
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

void add_log(Parameters& parameters, const std::vector<Changes::Append>& appends) {
  std::map<std::string_view, int64_t> counts;  // sorted, as rows are: topics are locked in this order
  for (const Changes::Append& append : appends) ++counts[append.topic];
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
  for (const Changes::Append& append : appends) {
    of_topic.add_int32(place[append.topic]);
    numbers.add_int64(++next[append.topic]);
    entries.add_bytes(append.entry);
  }
  for (ArrayParameter* array : {&topics, &sizes, &of_topic, &numbers, &entries})
    parameters.add_array(std::move(*array));
}

}  // namespace

void add_commit(Parameters& parameters, const Batch& batch, bool by_itself) {
  add_rows(parameters, batch, by_itself);
  add_log(parameters, batch.appends());
}

}  // namespace partita::postgres
