#include <array>

#include "ops/json_codec.h"
#include "ops/operation.h"

namespace partita::ops {

namespace {

const std::array kOperations = {
#define PARTITA_OPERATION(name, kind, action, codec, api) Operation{#name, Kind::kind, action, codec, Api::api},
#include "ops/operation_list.inc"
#undef PARTITA_OPERATION
};

// Where a name is looked for first in kPlaces, and then behind that.
constexpr size_t first_place_of(std::string_view name) {
  return name.empty() ? 0 : name.size() * 31 + static_cast<uint8_t>(name[0]) * 7 + static_cast<uint8_t>(name.back());
}

constexpr size_t kPlaceCount = 256;
constexpr uint8_t kNoOperation = 0xff;
static_assert(kOperations.size() < kPlaceCount / 2);

// The operations' places in kOperations, by their names.
constexpr std::array<uint8_t, kPlaceCount> kPlaces = [] {
  std::array<uint8_t, kPlaceCount> places{};
  places.fill(kNoOperation);
  uint8_t operation = 0;
  const auto put = [&](std::string_view name) {
    size_t place = first_place_of(name);
    while (places[place % kPlaceCount] != kNoOperation) ++place;
    places[place % kPlaceCount] = operation++;
  };
#define PARTITA_OPERATION(name, kind, action, codec, api) put(#name);
#include "ops/operation_list.inc"
#undef PARTITA_OPERATION
  return places;
}();

// By Api.
constexpr std::array<std::string_view, 2> kTargets = {"DynamoDB_20120810.", "DynamoDBStreams_20120810."};

std::string_view prefix_of(Api api) { return kTargets[static_cast<size_t>(api)]; }

}  // namespace

std::span<const Operation> operations() { return kOperations; }

std::string target_of(const Operation& operation) {
  return std::string(prefix_of(operation.api)).append(operation.name);
}

const Operation* find_target(std::string_view target) {
  const Operation* operation = find_operation(target.substr(target.find('.') + 1));
  return operation != nullptr && target.starts_with(prefix_of(operation->api)) ? operation : nullptr;
}

const Operation* find_operation(std::string_view name) {
  for (size_t place = first_place_of(name);; ++place) {
    const uint8_t operation = kPlaces[place % kPlaceCount];
    if (operation == kNoOperation) return nullptr;
    if (kOperations[operation].name == name) return &kOperations[operation];
  }
}

}  // namespace partita::ops
