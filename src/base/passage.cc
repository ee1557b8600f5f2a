#include "base/passage.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace partita {

bool Passage::wait(Visit& visit, std::coroutine_handle<> handle) {
  const std::lock_guard lock(mutex_);
  if (!shut_.load()) {
    places_[visit.place_].inside.fetch_add(1);
    visit.inside_ = true;
    return false;
  }
  visit.waiting_ = Suspended::here(handle);
  waiting_.push_back(&visit);
  return true;
}

void Passage::left() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

bool Passage::is_empty() const {
  return std::ranges::all_of(places_, [](const Place& place) { return place.inside.load() == 0; });
}

void Passage::shut() {
  std::unique_lock lock(mutex_);
  PARTITA_CHECK(!shut_.load());
  shut_ = true;
  changed_.wait(lock, [this] { return is_empty(); });
}

void Passage::open() {
  std::vector<Visit*> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(waiting_);
    for (Visit* const visit : waiting) {
      places_[visit->place_].inside.fetch_add(1);
      visit->inside_ = true;
    }
    shut_ = false;
  }
  for (Visit* const visit : waiting) visit->waiting_.go_on();
}

}  // namespace partita
