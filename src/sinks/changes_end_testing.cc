#include "sinks/changes_end_testing.h"

#include <chrono>
#include <thread>

#include "base/executor.h"
#include "model/item_codec.h"
#include "sinks/sinks_testing.h"

namespace partita::sinks {

class MemoryChanges final : public ChangeDestination {
 public:
  MemoryChanges(ChangesEnd& other, std::function<bool()> cut, bool slow, std::stop_token hurry)
      : other_(other), cut_(std::move(cut)), slow_(slow), hurry_(std::move(hurry)) {}
  // It may block, so nothing else is to be done by its thread.
  ~MemoryChanges() override {
    if (!prepared_) return;
    ++other_.destroyed;
    if (Executor::current() != nullptr) ++other_.destroyed_at_home;
  }

  Result<void> prepare() override {
    ++other_.prepared;
    prepared_ = true;
    while (other_.stuck_prepare && !hurry_.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return reach();
  }

  // The text counts the changes that the slice has done.
  Result<ChangesSent> send(size_t slice, std::span<const Change> changes, std::string& state) override {
    PARTITA_TRY_VOID(reach());
    if (changes.empty()) {
      ++other_.due_calls;
      state += '!';
      return ChangesSent();
    }
    ++other_.requests;
    other_.largest = std::max(other_.largest.load(), changes.size());
    wait_if_stuck(slice);
    if (other_.is_lost && hurry_.stop_requested()) return lost("it was interrupted");
    ChangesSent sent;
    if (changes.size() < other_.window && now_ms() < begun_[slice] + other_.window_ms) {
      sent.wants_more = true;
      sent.wait_ms = begun_[slice] + other_.window_ms - now_ms();
      if (other_.counts_waits) {
        state = std::to_string((state.empty() ? 0 : std::stoull(state)) + 1'000'000);
        sent.trouble = "it waits\x1b" + std::string(2'000, 'z');
      }
      return sent;
    }
    const bool dies = cut_ && cut_();
    const MutexLock lock(other_.mutex_);
    const bool in_part = draws(other_.partial);
    for (size_t i = 0; i < changes.size(); ++i) {
      if (dies && i == changes.size() / 2) return lost("the connection was closed");
      if (in_part && i == (changes.size() + 1) / 2) break;
      if (is_poison(changes[i])) {
        sent.rejections.push_back({i, "it is\tpoison"});
      } else {
        take(slice, changes[i]);
      }
      ++sent.done;
    }
    if (draws(other_.unanswered)) return lost("no answer came");
    if (sent.done < changes.size()) sent.trouble = "it took a part";
    begun_[slice] = now_ms();
    state = std::to_string((state.empty() ? 0 : std::stoull(state)) + sent.done);
    return sent;
  }

  Result<ChangesSent> resend(size_t slice, std::span<const Change> changes) override {
    other_.resent += changes.size();
    return ChangeDestination::resend(slice, changes);
  }

  std::optional<int64_t> due_ms(std::string_view state) const override {
    return other_.is_due && !state.empty() && !state.ends_with('!') ? std::optional<int64_t>(0) : std::nullopt;
  }

  Result<void> finish() override {
    ++other_.finished;
    return reach();
  }
  Limits limits() const override { return {.changes = other_.most_changes, .bytes = size_t{1} << 20}; }
  std::string target() const override { return "memory"; }

 private:
  static Error lost(const char* why) { return Error(ErrorKind::kUnavailable, why); }
  static int64_t now_ms() { return system_clock().monotonic_ns() / kNsPerMs; }
  bool draws(int of_hundred) PARTITA_REQUIRES(other_.mutex_) {
    return other_.random_.below(100) < static_cast<uint64_t>(of_hundred);
  }
  Result<void> reach() {
    if (cut_ && cut_()) return lost("the server is gone");
    if (other_.wrong) return Error(ErrorKind::kInvalid, "The name of the topic is wrong.");
    const MutexLock lock(other_.mutex_);
    if (other_.down || draws(other_.refused)) return lost("nobody listens");
    return {};
  }
  bool is_stuck(size_t slice) const {
    if (static_cast<size_t>(other_.stuck_slice) != slice && !(slow_ && other_.holds_slow)) return false;
    return other_.deaf || !hurry_.stop_requested();
  }
  void wait_if_stuck(size_t slice) {
    if (!is_stuck(slice)) return;
    ++other_.stuck;
    while (is_stuck(slice)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --other_.stuck;
  }
  bool is_poison(const Change& change) {
    const std::string_view image = change.record.new_image;
    if (image.empty() || other_.takes_poison) return false;
    return model::decode_item(image).value().contains(OtherEnd::kPoison);
  }
  void take(size_t slice, const Change& change) PARTITA_REQUIRES(other_.mutex_) {
    other_.taken_[slice].push_back({change.position, std::string(change.key), change.record.event,
                                    std::string(change.record.old_image), std::string(change.record.new_image)});
  }

  ChangesEnd& other_;
  const std::function<bool()> cut_;
  const bool slow_;
  bool prepared_ = false;
  const std::stop_token hurry_;
  std::array<int64_t, table::kSinkSlices> begun_{now_ms(), now_ms(), now_ms(), now_ms()};
};

std::vector<ChangesEnd::Taken> ChangesEnd::taken(size_t slice) {
  const MutexLock lock(mutex_);
  return taken_[slice];
}

size_t ChangesEnd::taken() {
  size_t all = 0;
  for (size_t i = 0; i < table::kSinkSlices; ++i) all += taken(i).size();
  return all;
}

std::map<std::string, std::string> ChangesEnd::replayed(std::string& wrong_with) {
  std::map<std::string, std::string> items;
  for (size_t i = 0; i < table::kSinkSlices; ++i) {
    storage::Position last{};
    for (const Taken& one : taken(i)) {
      if (one.position <= last) continue;  // again
      last = one.position;
      std::string& item = items[one.key];
      if (item != one.old_image) wrong_with = "a change of slice " + std::to_string(i) + " is missing";
      if (one.old_image.empty() != (one.event == table::StreamEvent::kInsert)) wrong_with = "an event is wrong";
      if (one.new_image.empty() != (one.event == table::StreamEvent::kRemove)) wrong_with = "an event is wrong";
      if (table::sink_slice(one.key) != i) wrong_with = "a change is in the wrong slice";
      item = one.new_image;
    }
  }
  std::erase_if(items, [](const auto& one) { return one.second.empty(); });
  if (!wrong_with.empty()) items.clear();
  return items;
}

std::map<std::string, std::string> ChangesEnd::options() {
  const MutexLock lock(mutex_);
  return options_;
}

FindChangeDestination ChangesEnd::finder(std::function<bool()> cut) {
  const auto make = [this, cut](const ChangeSettings& settings,
                                std::stop_token hurry) -> Result<std::unique_ptr<ChangeDestination>> {
    for (const auto& [name, value] : settings.options) {
      if (name != "speed") return Error(ErrorKind::kInvalid, "There is no option '" + name + "'.");
    }
    {
      const MutexLock lock(mutex_);
      options_ = {settings.options.begin(), settings.options.end()};
    }
    const bool slow = settings.options.contains("speed") && settings.options.at("speed") == "slow";
    std::unique_ptr<ChangeDestination> made = std::make_unique<MemoryChanges>(*this, cut, slow, std::move(hurry));
    return made;
  };
  return [make](std::string_view url) -> std::optional<ChangeDestinationKind> {
    if (!url.starts_with("changes")) return std::nullopt;
    return ChangeDestinationKind{make, url.starts_with("changes+file") ? Reach::kMachine : Reach::kNetwork};
  };
}

}  // namespace partita::sinks
