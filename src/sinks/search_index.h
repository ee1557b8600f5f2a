// The indexes of a sink in a search engine: their names, and the requests that make and switch them.
//
// Users search by an alias. Behind it each fill has an index of its own, ALIAS-ID-GENERATION with the random id of the
// sink, which is written to by a second alias with "-write" behind: a request that demands an alias makes no index
// where the one of the fill was deleted. The marks of the fills are documents of one more index, ALIAS-ID-marks: to
// change an index itself takes a cluster ten times as long.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sinks/destination.h"
#include "sinks/search_client.h"

namespace partita::sinks {

// In flat mode: the field of the whole item, and the field of items that the engine refuses in that one, which are
// found by their id alone.
inline constexpr std::string_view kFlatField = "item";
inline constexpr std::string_view kUnindexedField = "unindexed";

class SearchIndexes {
 public:
  // Error: kInvalid (reason 0), with a sentence: the name that the settings give is none of an index.
  static Result<SearchIndexes> create(const DestinationSettings& settings);

  const std::string& alias() const { return alias_; }
  std::string index(Generation generation) const;
  std::string write_alias(Generation generation) const { return index(generation) + "-write"; }

  std::string marks_index() const { return prefix_ + "marks"; }

  // The bodies that make them, and the document of a mark.
  std::string index_body(Generation generation, SearchEngine engine) const;
  static std::string marks_index_body();
  static std::string mark_body(std::string_view mark);

  // Matches all indexes of this sink, and perhaps others; is_own() says which.
  std::string pattern() const { return prefix_ + "*"; }
  bool is_own(std::string_view index) const;
  std::optional<Generation> generation_of(std::string_view index) const;  // nullopt: no index of a fill of this sink

 private:
  std::string alias_;
  std::string prefix_;
  std::string table_;
  std::string sink_;
  std::string id_;
  DocumentMode mode_ = DocumentMode::kTemplate;
};

// An index behind the alias that users give, by its name. Its owner: the id of a sink, or empty if none made it.
using AliasHolders = std::map<std::string, std::string>;
// From the reply to "GET /ALIAS".
Result<AliasHolders> read_alias_holders(std::string_view body);

// The names of the members of a JSON object; those of indexes in some replies.
Result<std::vector<std::string>> read_member_names(std::string_view body);

// The body of _aliases that puts the alias on the index `to`, takes it from those in `from`, and deletes `deleted`, all
// at once.
std::string alias_switch_body(std::string_view alias, std::string_view to, const std::vector<std::string>& from,
                              const std::vector<std::string>& deleted);

}  // namespace partita::sinks
