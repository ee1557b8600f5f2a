// What the functions behind Partita's own calls get: the members of the request, and what the call is about.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admin/metric_samples.h"
#include "base/result.h"
#include "model/value.h"
#include "namespaces/namespaces.h"
#include "wire/json_reader.h"

namespace partita::admin {

// Fault: kConstraints, with that sentence.
Error wrong(std::string sentence);

// The members of a request. Faults of all: kConstraints, with a sentence that names the member.
class Asked {
 public:
  // The document outlives it.
  explicit Asked(wire::JsonValue body) : body_(body) {}

  // Refuses what is no object, and members that are not `known`.
  Result<void> check(std::span<const std::string_view> known) const;
  // Empty if it is absent.
  Result<std::string> text(std::string_view name) const;
  Result<std::string> required_text(std::string_view name) const;
  // A whole number of seconds; absent if it is.
  Result<std::optional<int64_t>> seconds(std::string_view name) const;
  // Seconds since 1970 with a fraction, in milliseconds; 0 if it is absent.
  Result<int64_t> time_ms(std::string_view name) const;
  // From 1 to `most`; `otherwise` if it is absent.
  Result<size_t> number(std::string_view name, int64_t most, size_t otherwise) const;
  // False if it is absent.
  Result<bool> flag(std::string_view name) const;
  // Empty if it is absent.
  Result<std::vector<std::string>> texts(std::string_view name) const;
  // An object of texts; empty if it is absent.
  Result<std::vector<std::pair<std::string, std::string>>> named_texts(std::string_view name) const;
  // Attribute values by name. Faults also: those of wire::decode_item().
  Result<model::Item> item(std::string_view name) const;

 private:
  wire::JsonValue body_;
};

// The facts about a server that DescribeConsole returns.
struct ConsoleFacts {
  std::string version;
  bool console = false;   // whether it is served
  bool verified = false;  // whether signatures are verified
  std::string region;     // empty: that of each request
  namespaces::NamespacesBy namespaces_by = namespaces::NamespacesBy::kNothing;
  bool snapshots = false;    // whether they can be made
  bool clock_moves = false;  // whether the clock may be moved
  int64_t began_ns = 0;      // when the server started, on the monotonic clock
  // Not returned: the hosts that CreateSink may name over the public port, as in sinks/sink_hosts.h.
  std::vector<std::string> sink_hosts = {};
};

struct Subject {
  namespaces::Namespaces& namespaces;
  const ConsoleFacts& facts;
  MetricSampler& sampler;
  bool by_administrator = false;  // it came over the administration socket
  std::string space;              // the namespace; empty: the one without a name
};

// Does it to the namespace that the call is about.
template <class Work>
auto with_host(const Subject& about, Work work) -> decltype(work(about.namespaces.root())) {
  if (about.space.empty()) return work(about.namespaces.root());
  auto used = about.namespaces.acquire(about.space);
  if (!used.ok()) return std::move(used).error();
  return work(used->host());
}

}  // namespace partita::admin
