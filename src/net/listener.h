// A listening socket on a loop.
#pragma once

#include <functional>
#include <optional>

#include "net/address.h"
#include "net/loop.h"

namespace partita::net {

// For the loop's thread, or for before its run().
class Listener final : private Loop::Watcher {
 public:
  // `take` gets each accepted socket, which does not block, and owns it. `make_room` is called if the system has no
  // file descriptor for another connection; the listener then tries again 50 ms later.
  Listener(Loop& loop, std::function<void(int)> take, std::function<void()> make_room)
      : loop_(loop), take_(std::move(take)), make_room_(std::move(make_room)), pause_(loop, [this] { accept_all(); }) {}
  ~Listener() { close(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Listens on a bound socket, which stays the caller's. Connections wait until start(). 0, or an errno.
  int open(int socket, const Address& address);
  // The same with a socket that listens already, at no network address.
  int open(int socket);
  // Nothing for a socket without a network address.
  const std::optional<Address>& address() const { return address_; }

  // False: the system refuses to watch the socket; errno says why.
  bool start() { return loop_.watch(socket_, *this); }
  void close();

 private:
  void ready(bool readable, bool writable, bool ended) override;
  void accept_all();
  void recover(int error);

  Loop& loop_;
  std::function<void(int)> take_;
  std::function<void()> make_room_;
  Loop::Timer pause_;  // after a connection that could not be accepted
  int socket_ = -1;
  std::optional<Address> address_;
};

}  // namespace partita::net
