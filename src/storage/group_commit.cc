#include "storage/group_commit.h"

#include <algorithm>

namespace partita::storage {

void PipelineWaiter::await_resume() {
  if (failure) [[unlikely]]
    std::rethrow_exception(std::move(failure));
}

void resume(std::vector<PipelineWaiter*> waiters, Executor& otherwise) {
  const auto home_of = [](const PipelineWaiter* waiter) { return waiter->waiting_.home; };
  std::ranges::stable_sort(waiters, {}, home_of);
  std::vector<std::coroutine_handle<>> handles;
  for (size_t i = 0; i < waiters.size(); ++i) {
    Executor* const home = home_of(waiters[i]);
    handles.push_back(waiters[i]->waiting_.handle);
    if (i + 1 < waiters.size() && home_of(waiters[i + 1]) == home) continue;
    (home != nullptr ? *home : otherwise).resume_all(handles);
    handles.clear();
  }
}

void InFlightKeys::add(const Transaction& transaction) {
  for (const Key& key : transaction.keys) keys_.insert(key.bytes);
}

void InFlightKeys::remove(const Transaction& transaction) {
  for (const Key& key : transaction.keys) {
    if (const auto claimed = keys_.find(key.bytes); claimed != keys_.end()) keys_.erase(claimed);
  }
}

bool InFlightKeys::is_free(const Transaction& transaction, const Names& passed) const {
  const auto is_taken = [&](const Key& key) { return keys_.contains(key.bytes) || passed.contains(key.bytes); };
  return std::ranges::none_of(transaction.keys, is_taken) &&
         std::ranges::none_of(transaction.compare, [&](const Compare& one) { return is_taken(one.key); });
}

}  // namespace partita::storage
