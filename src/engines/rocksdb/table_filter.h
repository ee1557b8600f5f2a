// The bloom filter of a table file, read without opening the file by RocksDB: a filter that denies a key proves that
// the table has no entry of it, even in its unreadable blocks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace partita::rocks {

class TableFilter {
 public:
  // Nothing when `content`, that of a filter block, is of a form that is not known.
  static std::optional<TableFilter> of(std::string content);

  // False: the table has no entry of the key.
  bool may_hold(std::string_view key) const;

 private:
  TableFilter(std::string content, int probes) : content_(std::move(content)), probes_(probes) {}

  std::string content_;
  int probes_;
};

}  // namespace partita::rocks
