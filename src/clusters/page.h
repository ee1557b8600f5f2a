// Pages of lists, as MaxResults and NextToken ask for them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/clusters.h"
#include "base/result.h"
#include "clusters/checks.h"
#include "model/fault.h"

namespace partita::clusters {

template <class Element>
struct PageOf {
  std::vector<Element> found;
  std::string next;  // NextToken; empty: it is the last page
};

// A token is `kind` and the name of the last element so far, so that it is of one list. `name_of(element)` is unique;
// elements that `is_behind(element, name)` follow the one of that name, which may be gone. Fault: kClusterValue.
template <class Element, class NameOf, class IsBehind>
Result<PageOf<Element>> page_of(std::vector<Element> all, const api::PageRequest& request, std::string_view kind,
                                NameOf name_of, IsBehind is_behind) {
  PARTITA_TRY_VOID(check_page(request));
  auto begin = all.begin();
  if (!request.after.empty()) {
    const std::string_view token = request.after;
    if (!token.starts_with(kind)) {
      return model::refuse(model::Fault::kClusterValue, {"NextToken", "is not one that this call has returned"});
    }
    begin = std::ranges::find_if(all, [&](const Element& one) { return is_behind(one, token.substr(kind.size())); });
  }
  const auto most = static_cast<ptrdiff_t>(request.most.value_or(kMostResults));
  const auto end = all.end() - begin > most ? begin + most : all.end();
  PageOf<Element> page;
  if (end != all.end()) page.next = std::string(kind) + name_of(*(end - 1));
  page.found.assign(std::make_move_iterator(begin), std::make_move_iterator(end));
  return page;
}

// The same of elements that are sorted by their member `name`.
template <class Element>
Result<PageOf<Element>> page_by_name(std::vector<Element> all, const api::PageRequest& request, std::string_view kind) {
  return page_of(
      std::move(all), request, kind, [](const Element& one) { return one.name; },
      [](const Element& one, std::string_view name) { return one.name > name; });
}

}  // namespace partita::clusters
