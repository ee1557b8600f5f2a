// What an engine takes of a topic's name.
#pragma once

#include <cstddef>

#include "storage/prefixed_engine.h"

namespace partita::contract {

inline size_t longest_topic(const storage::Engine& engine) {
  const auto* const view = dynamic_cast<const storage::PrefixedEngine*>(&engine);
  return view == nullptr ? storage::kMaxTopicBytes : view->max_topic_bytes();
}

}  // namespace partita::contract
