// The parts of an item that the client requests: ProjectionExpression or AttributesToGet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/path.h"
#include "expr/placeholders.h"
#include "model/value.h"

namespace partita::expr {

class Projection {
 public:
  // Precondition: no two paths overlap or conflict; a plain attribute may be named twice.
  explicit Projection(std::vector<Path> paths);

  // The value at a path, returned under its own name.
  struct Column {
    std::string name;
    Path path;
  };
  // Values are returned under their columns' names and not at their place in the item. Precondition: the names are
  // distinct.
  static Projection of_columns(std::vector<Column> columns);

  const std::vector<Path>& paths() const { return paths_; }
  // Sorted by name; empty unless made by of_columns().
  const std::vector<Column>& columns() const { return columns_; }

  // The distinct top-level attributes that it needs, sorted by their bytes.
  const std::vector<std::string>& attributes() const { return attributes_; }
  // Those of them that it accesses with `.` or `[]`.
  const std::vector<std::string>& nested_attributes() const { return nested_attributes_; }
  // True if every path is a whole attribute under its own name.
  bool whole_attributes() const { return whole_attributes_; }

 private:
  std::vector<Path> paths_;      // sorted
  std::vector<Column> columns_;  // sorted
  std::vector<std::string> attributes_;
  std::vector<std::string> nested_attributes_;
  bool whole_attributes_ = true;
};

// Errors: syntax, placeholders, reserved words; kPathsOverlap, kPathsConflict.
Result<Projection> parse_projection(std::string_view text, Placeholders& given);

// The projected parts of the item. Nothing is added, not even the key. List elements keep their order and close their
// gaps.
model::Item project(const Projection& projection, const model::Item& item);

}  // namespace partita::expr
