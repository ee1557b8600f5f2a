// The bloom filter of a table file, read without RocksDB. A filter that excludes a key proves that the table has no
// entry of it, also in its unreadable blocks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace partita::rocks {

class TableFilter {
 public:
  // `content`: of a filter block. Nothing if its form is not known.
  static std::optional<TableFilter> of(std::string content);

  // False: the table has no entry of the key.
  bool may_hold(std::string_view key) const;

 private:
  TableFilter(std::string content, int probes) : content_(std::move(content)), probes_(probes) {}

  std::string content_;
  int probes_;
};

}  // namespace partita::rocks
