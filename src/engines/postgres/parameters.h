// Parameters and rows of statements in PostgreSQL's binary format: big-endian, no text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/postgres/libpq.h"
#include "storage/engine.h"

namespace partita::postgres {

// An array parameter. Elements are added in order; bytes() is its binary form.
class ArrayParameter {
 public:
  enum class Element : uint32_t { kBytes = 17, kInt64 = 20, kInt32 = 23 };  // PostgreSQL's object ids of the types

  explicit ArrayParameter(Element element);
  void add_bytes(std::string_view bytes);
  void add_int64(int64_t value);
  void add_int32(int32_t value);
  void add_null();
  std::string bytes() &&;

 private:
  std::string out_;
  uint32_t size_ = 0;
  bool has_null_ = false;
};

// The parameters of one statement, in order.
class Parameters {
 public:
  void add_bytes(std::string_view bytes) { values_.emplace_back(bytes); }
  void add_int64(int64_t value);
  void add_int32(int32_t value);
  void add_array(ArrayParameter array) { values_.push_back(std::move(array).bytes()); }
  const std::vector<std::string>& values() const { return values_; }

 private:
  std::vector<std::string> values_;
};

struct FreeResult {
  void operator()(PGresult* result) const { libpq().PQclear(result); }
};

// Rows in binary format. The caller asks for each column with the type that the statement gives it.
class Rows {
 public:
  Rows() = default;
  explicit Rows(PGresult* result) : result_(result) {}
  int size() const { return libpq().PQntuples(result_.get()); }
  bool is_null(int row, int column) const { return libpq().PQgetisnull(result_.get(), row, column) != 0; }
  std::string_view bytes(int row, int column) const;
  int64_t int64(int row, int column) const;
  int32_t int32(int row, int column) const;

 private:
  std::unique_ptr<PGresult, FreeResult> result_;
};

// A B-tree accepts keys up to 2,704 bytes. A longer key is split into a head and a tail; the index has the head and the
// SHA-256 of the tail.
inline constexpr size_t kMaxHeadBytes = 2'600;

struct SplitKey {
  std::string_view head;
  std::string_view tail;  // empty for all but long keys
};
SplitKey split(std::string_view key);

// The parameters of PreparedStatement::kGetMany: keys to read together, with their values or only their versions.
class KeyList {
 public:
  void add(std::string_view key, bool with_value);
  Parameters parameters() &&;

 private:
  ArrayParameter heads_{ArrayParameter::Element::kBytes};
  ArrayParameter tails_{ArrayParameter::Element::kBytes};
  ArrayParameter values_{ArrayParameter::Element::kInt32};
};

// A head greater than all others.
const std::string& beyond_all_heads();

inline int64_t to_sql(storage::Version version) { return static_cast<int64_t>(version); }
inline storage::Version to_version(int64_t stored) { return storage::Version{static_cast<uint64_t>(stored)}; }

}  // namespace partita::postgres
