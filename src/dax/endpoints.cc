#include "dax/endpoints.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace partita::dax {

namespace {

enum class Member : uint8_t { kNode, kHost, kAddress, kPort, kRole, kZone, kLeaderSession };
constexpr size_t kMembers = 7;
constexpr int64_t kLeader = 1;
constexpr int64_t kSession = 1;  // of leaders, which never change

void key(wire::CborWriter& out, Member member) { out.integer(static_cast<int64_t>(member)); }

void write_node(wire::CborWriter& out, int64_t number, std::string_view host, const net::Address& address,
                uint16_t port, std::string_view zone) {
  out.map(kMembers);
  key(out, Member::kNode), out.integer(number);
  key(out, Member::kHost), out.text(host);
  key(out, Member::kAddress), out.bytes(address.bytes());
  key(out, Member::kPort), out.integer(port);
  key(out, Member::kRole), out.integer(kLeader);
  key(out, Member::kZone), out.text(zone);
  key(out, Member::kLeaderSession), out.integer(kSession);
}

const net::Address& address_for(const Node& node, const std::optional<net::Address>& local) {
  const auto suits = [&](const net::Address& address) { return local && address.family() == local->family(); };
  const auto found = std::ranges::find_if(node.addresses, suits);
  return found == node.addresses.end() ? node.addresses.front() : *found;
}

}  // namespace

Result<std::vector<Node>> nodes_of(const std::vector<Advertised>& advertised) {
  std::vector<Node> nodes;
  for (const Advertised& one : advertised) {
    auto addresses = net::Address::named(one.host);
    if (!addresses.ok()) {
      return Error(ErrorKind::kUnavailable, "--dax-advertise " + one.host +
                                                " has no address: " + std::string(addresses.error().sentence()) + ".");
    }
    nodes.push_back({one.host, std::move(addresses).value(), one.port});
  }
  return nodes;
}

void write_endpoints(wire::CborWriter& out, const Options& options, const std::optional<net::Address>& local,
                     std::string_view zone) {
  if (options.nodes.empty()) {
    out.array(local ? 1 : 0);
    if (local) write_node(out, 1, local->host(), *local, local->port(), zone);
    return;
  }
  out.array(options.nodes.size());
  int64_t number = 0;
  for (const Node& node : options.nodes) {
    const uint16_t port = node.port == 0 && local ? local->port() : node.port;
    write_node(out, ++number, node.host, address_for(node, local), port, zone);
  }
}

}  // namespace partita::dax
