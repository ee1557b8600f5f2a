// A client of servers in this process: connections from the thread of a loop, and the certificate authorities that it
// trusts.
//
//   auto plain = co_await net::connect(loop, queues, address, 5'000ms);
//   PARTITA_CO_TRY(auto socket, std::move(plain));
//   auto secured = co_await net::TlsStream::connect(std::move(socket), authorities, "db.example.com");
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "net/address.h"
#include "net/loop.h"
#include "net/socket_stream.h"
#include "net/stream.h"

struct ssl_ctx_st;  // OpenSSL's

namespace partita::net {

// On the loop's thread. Loop and queues outlive the stream. Error: kUnavailable, with one sentence.
Task<Result<std::unique_ptr<Stream>>> connect(Loop& loop, StreamQueues& queues, Address address,
                                              std::chrono::milliseconds timeout);

// A client's context for TLS 1.2 and 1.3 that trusts the authorities of the PEM file; of the system if the name is
// empty. Error: kInvalid (reason 0), with one sentence that names the file.
Result<std::shared_ptr<ssl_ctx_st>> load_authorities(const std::string& file);

}  // namespace partita::net
