// The words of parameters and their enum values, in both directions.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "api/options.h"
#include "wire/parameter_words.h"

namespace partita::ops {

template <class Value, size_t kCount>
struct EnumNames {
  const std::string_view (&names)[kCount];
  std::array<Value, kCount> values;  // of the words, in their order

  // `otherwise`: for a word that is not among the names.
  Value value_of(std::string_view word, Value otherwise) const {
    for (size_t i = 0; i < kCount; ++i) {
      if (names[i] == word) return values[i];
    }
    return otherwise;
  }
  // Empty: the value has no word.
  std::string_view name_of(Value value) const {
    for (size_t i = 0; i < kCount; ++i) {
      if (values[i] == value) return names[i];
    }
    return {};
  }
};

inline constexpr EnumNames<api::CapacityDetail, 3> kCapacityDetails{
    wire::kCapacityWords, {api::CapacityDetail::kIndexes, api::CapacityDetail::kTotal, api::CapacityDetail::kNone}};

inline constexpr EnumNames<api::ReturnValues, 5> kReturnValues{
    wire::kReturnValueWords,
    {api::ReturnValues::kAllNew, api::ReturnValues::kUpdatedOld, api::ReturnValues::kAllOld, api::ReturnValues::kNone,
     api::ReturnValues::kUpdatedNew}};

inline constexpr EnumNames<api::Select, 4> kSelects{
    wire::kSelectWords,
    {api::Select::kSpecific, api::Select::kCount, api::Select::kAllAttributes, api::Select::kAllProjected}};

}  // namespace partita::ops
