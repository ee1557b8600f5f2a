// Changes for tests of their destinations.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sinks/change_destination.h"

namespace partita::sinks {

// Settings of the sink "s" of the table "Orders", whose key is p, a string.
ChangeSettings changes_settings(std::string url, std::map<std::string, std::string, std::less<>> options = {});

// A slice's changes, at positions from 1, as they come from the log.
class SomeChanges {
 public:
  // INSERT of the item with that key, whose attribute v is `value`.
  void put(const std::string& key, const std::string& value);
  void remove(const std::string& key, const std::string& old_value);
  void damage();  // a change whose image is none

  // From the `first` on, counted from 0.
  std::span<const Change> from(size_t first) const { return std::span(changes_).subspan(first); }
  std::span<const Change> all() const { return from(0); }
  size_t size() const { return changes_.size(); }

 private:
  void add(const std::string& key, table::ItemRecord record);

  std::deque<std::string> bytes_;  // which the changes are views of
  std::vector<Change> changes_;
};

}  // namespace partita::sinks
