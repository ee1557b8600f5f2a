// Connections from the thread of a loop to other servers.
//
//   auto plain = co_await net::connect(loop, queues, address, 5'000ms);
//   PARTITA_CO_TRY(auto socket, std::move(plain));
//   auto secured = co_await net::TlsStream::connect(std::move(socket), trust_store, "db.example.com");
#pragma once

#include <chrono>
#include <memory>

#include "base/result.h"
#include "base/task.h"
#include "net/address.h"
#include "net/loop.h"
#include "net/socket_stream.h"
#include "net/stream.h"

namespace partita::net {

// On the loop's thread. Loop and queues outlive the stream. Error: kUnavailable, with one sentence.
Task<Result<std::unique_ptr<Stream>>> connect(Loop& loop, StreamQueues& queues, Address address,
                                              std::chrono::milliseconds timeout);

}  // namespace partita::net
