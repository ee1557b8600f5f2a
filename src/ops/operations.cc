#include <algorithm>
#include <array>

#include "base/check.h"
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
constexpr std::array kJsonServices = {
    JsonService{Api::kDynamoDb, "DynamoDB_20120810.", "application/x-amz-json-1.0", auth::SignedFor::kDynamoDb},
    JsonService{Api::kStreams, "DynamoDBStreams_20120810.", "application/x-amz-json-1.0", auth::SignedFor::kDynamoDb},
    JsonService{Api::kAutoScaling, "AnyScaleFrontendService.", "application/x-amz-json-1.1",
                auth::SignedFor::kAutoScaling, true},
    JsonService{Api::kDax, "AmazonDAXV3.", "application/x-amz-json-1.1", auth::SignedFor::kDax, true},
};
static_assert(std::ranges::is_sorted(kJsonServices, {}, &JsonService::api));
static_assert(kJsonServices.back().api == static_cast<Api>(kJsonServices.size() - 1), "a row for each");

// Calls fits(operation) for each operation of that name until it returns true. Null: it never did.
template <class Fits>
const Operation* find_named(std::string_view name, Fits fits) {
  for (size_t place = first_place_of(name);; ++place) {
    const uint8_t operation = kPlaces[place % kPlaceCount];
    if (operation == kNoOperation) return nullptr;
    if (kOperations[operation].name == name && fits(kOperations[operation])) return &kOperations[operation];
  }
}

}  // namespace

const JsonService& json_service(Api api) {
  PARTITA_CHECK(static_cast<size_t>(api) < kJsonServices.size());
  return kJsonServices[static_cast<size_t>(api)];
}

const JsonService* find_json_service(std::string_view target) {
  const auto* const found =
      std::ranges::find_if(kJsonServices, [&](const JsonService& one) { return target.starts_with(one.target); });
  return found == kJsonServices.end() ? nullptr : found;
}

std::span<const Operation> operations() { return kOperations; }

std::string target_of(const Operation& operation) {
  return std::string(json_service(operation.api).target).append(operation.name);
}

const Operation* find_target(std::string_view target) {
  return find_named(target.substr(target.find('.') + 1),
                    [&](const Operation& operation) { return target.starts_with(json_service(operation.api).target); });
}

const Operation* find_operation(std::string_view name) {
  return find_named(name, [](const Operation&) { return true; });
}

}  // namespace partita::ops
