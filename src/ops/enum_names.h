// The values behind the words of parameters, both ways.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "table/catalog/request.h"
#include "wire/parameter_words.h"

namespace partita::ops {

template <class Value, size_t kCount>
struct EnumNames {
  const std::string_view (&names)[kCount];
  std::array<Value, kCount> values;  // of the words, in their order

  // `otherwise` for every other word.
  Value value_of(std::string_view word, Value otherwise) const {
    for (size_t i = 0; i < kCount; ++i) {
      if (names[i] == word) return values[i];
    }
    return otherwise;
  }
  // Empty for a value that has none.
  std::string_view name_of(Value value) const {
    for (size_t i = 0; i < kCount; ++i) {
      if (values[i] == value) return names[i];
    }
    return {};
  }
};

inline constexpr EnumNames<table::CapacityDetail, 3> kCapacityDetails{
    wire::kCapacityWords,
    {table::CapacityDetail::kIndexes, table::CapacityDetail::kTotal, table::CapacityDetail::kNone}};

inline constexpr EnumNames<table::ReturnValues, 5> kReturnValues{
    wire::kReturnValueWords,
    {table::ReturnValues::kAllNew, table::ReturnValues::kUpdatedOld, table::ReturnValues::kAllOld,
     table::ReturnValues::kNone, table::ReturnValues::kUpdatedNew}};

inline constexpr EnumNames<table::Select, 4> kSelects{
    wire::kSelectWords,
    {table::Select::kSpecific, table::Select::kCount, table::Select::kAllAttributes, table::Select::kAllProjected}};

}  // namespace partita::ops
