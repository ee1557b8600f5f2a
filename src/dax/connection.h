// One connection: reads a preamble and then requests, has them answered in order, writes the replies.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "dax/authorisation.h"
#include "dax/database_lists.h"
#include "dax/options.h"
#include "dax/receive_buffer.h"
#include "net/request_resources.h"
#include "net/stream.h"
#include "net/timed_connection.h"
#include "ops/call_codec.h"
#include "ops/request_ids.h"
#include "wire/cbor.h"
#include "wire/dax/scanner.h"

namespace partita::dax {

// What the connections of one listener have in common on one thread. For that thread alone.
struct ThreadContext {
  const Options& options;
  ops::CallHandler& handler;
  const Clock& clock;
  net::RequestResources& resources;
  const net::WorkerState& worker;
  const Verifier& verifier;
  ops::RequestIds ids;
  DatabaseLists lists = {};
  std::vector<char> discarded = {};  // for bytes that are read and dropped
};

class Connection final : public net::TimedConnection, private ops::Source {
 public:
  // The context outlives it.
  Connection(ThreadContext& context, std::unique_ptr<net::Stream> stream);

  Task<> serve() override;

 private:
  using Method = wire::dax::Method;
  static constexpr size_t kMaxUserAgent = 512;

  std::string address() const override { return stream().peer(); }
  bool encrypted() const override { return stream().encrypted(); }
  std::string_view header(std::string_view lower_name) const override {
    return lower_name == "user-agent" ? std::string_view(user_agent_) : std::string_view();
  }

  // What happens to the connection after a request.
  enum class Next : uint8_t { kGoOn, kEnd };

  struct Codec;

  std::optional<Error> refusal_of(size_t bytes);
  bool greet(std::string_view preamble);
  bool authorise(std::string_view arguments);
  Task<Next> answer(Method method, std::string_view arguments);
  Task<Next> answer_call(Method method, std::string_view arguments);
  Task<Next> answer_endpoints();
  Task<Next> refuse(Error error, const ops::Operation* operation = nullptr);
  void note_refused(const ops::Call& call, const Error& error, const ops::Operation* operation);
  Task<> turn_away(bool greeted);
  Task<> give_up(wire::dax::ScanStatus status, size_t bytes);
  Task<> drain();

  ops::Call begin_call();
  void begin_reply();
  void end_reply();
  void write_refusal(const Error& error);
  net::WriteBytes send();

  ThreadContext& context_;
  ReceiveBuffer received_;
  Authorisation authorisation_;
  std::string user_agent_;
  bool always_selects_ = false;  // see wire::dax::Decoding
  bool framed_ = false;
  ops::RequestIds::Id id_{};               // of the request
  std::optional<wire::CborWriter> reply_;  // kept to reuse its memory
  std::array<char, 8> frame_{};            // the head of the reply's frame
};

}  // namespace partita::dax
