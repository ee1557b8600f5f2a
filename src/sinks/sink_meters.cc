#include "sinks/sink_meters.h"

namespace partita::sinks {

void SinkMeters::set(const std::string& table, const std::string& sink, const SinkFigures& figures) {
  const MutexLock lock(mutex_);
  sinks_[{table, sink}] = figures;
}

void SinkMeters::erase(const std::string& table, const std::string& sink) {
  const MutexLock lock(mutex_);
  sinks_.erase({table, sink});
}

std::optional<SinkFigures> SinkMeters::find(const std::string& table, const std::string& sink) const {
  const MutexLock lock(mutex_);
  const auto found = sinks_.find({table, sink});
  return found == sinks_.end() ? std::nullopt : std::optional(found->second);
}

std::map<SinkMeters::Name, SinkFigures> SinkMeters::all() const {
  const MutexLock lock(mutex_);
  return sinks_;
}

void SinkMeters::report(Exposition& out) const {
  const std::map<Name, SinkFigures> sinks = all();
  const auto each = [&](auto use) {
    for (const auto& [name, figures] : sinks) {
      const Exposition::Labels labels{{"table", name.first}, {"sink", name.second}};
      use(figures, labels);
    }
  };
  using Labels = Exposition::Labels;
  each([&](const SinkFigures& one, Labels labels) {
    out.gauge("partita_sink_lag_seconds", "Age of the oldest change that a sink has not delivered.",
              static_cast<double>(one.lag_ms) / 1e3, labels);
  });
  each([&](const SinkFigures& one, Labels labels) {
    out.gauge("partita_sink_lag_entries", "Changes that a sink has not delivered, as far as they are counted.",
              static_cast<double>(one.lag_entries), labels);
  });
  each([&](const SinkFigures& one, Labels labels) {
    out.counter("partita_sink_sent_total", "Documents and deletions that a sink has delivered.",
                static_cast<double>(one.sent), labels);
  });
  each([&](const SinkFigures& one, Labels labels) {
    out.counter("partita_sink_conflicts_total", "Documents of which the other end had a newer version.",
                static_cast<double>(one.conflicts), labels);
  });
  each([&](const SinkFigures& one, Labels labels) {
    out.gauge("partita_sink_dead_letters", "Items in the table of a sink's dead letters.",
              static_cast<double>(one.dead_letters), labels);
  });
  for (const auto& [name, figures] : sinks) {
    for (const SinkState state :
         {SinkState::kFilling, SinkState::kCarrying, SinkState::kPaused, SinkState::kFailed, SinkState::kDeleting}) {
      out.gauge("partita_sink_state", "1 for the state that a sink is in.", state == figures.state ? 1 : 0,
                {{"table", name.first}, {"sink", name.second}, {"state", name_of(state)}});
    }
  }
}

}  // namespace partita::sinks
