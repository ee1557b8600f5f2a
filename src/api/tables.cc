#include "api/tables.h"

#include <algorithm>

#include "base/check.h"

namespace partita::api {

const std::string& IndexUpdate::name() const {
  if (create) return create->name;
  PARTITA_CHECK(changed || dropped);
  return changed ? *changed : *dropped;
}

std::vector<const IndexUpdate*> UpdateTableRequest::all_indexes() const {
  std::vector<const IndexUpdate*> all;
  for (const auto* list : {&indexes, &vector_indexes}) {
    if (!*list) continue;
    for (const IndexUpdate& one : **list) all.push_back(&one);
  }
  return all;
}

bool UpdateTableRequest::makes_or_drops_index() const {
  return std::ranges::any_of(all_indexes(), [](const auto* one) { return one->create || one->dropped; });
}

}  // namespace partita::api
