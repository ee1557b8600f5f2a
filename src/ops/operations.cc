#include <algorithm>
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
  const auto found = std::ranges::lower_bound(kOperations, name, {}, &Operation::name);
  return found == kOperations.end() || found->name != name ? nullptr : &*found;
}

}  // namespace partita::ops
