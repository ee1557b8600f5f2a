// One connection: reads requests, has them answered, writes the replies.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "auth/authenticate.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/task.h"
#include "base/workers.h"
#include "http/content_coding.h"
#include "http/handler.h"
#include "http/options.h"
#include "http/reply_head.h"
#include "http/request_reader.h"
#include "net/stream.h"
#include "net/timed_connection.h"
#include "ops/request_ids.h"
#include "ops/service.h"

namespace partita::http {

// What the connections of one listener have in common on one thread. For that thread alone.
struct ThreadContext {
  const Options& options;
  Handler& handler;
  const Clock& clock;
  Budget& budget;
  Workers& background;  // for large requests
  const net::WorkerState& worker;
  auth::Authenticator authenticator;
  // The caller of every request, which is unsigned; null where the connections are those of clients.
  std::shared_ptr<const auth::Caller> administrator = {};
  ops::RequestIds ids;
  DateText date = {};
  std::vector<char> discarded = {};  // for bytes that are read and dropped
};

class Connection final : public net::TimedConnection, private ops::Source {
 public:
  // The context outlives it.
  Connection(ThreadContext& context, std::unique_ptr<net::Stream> stream);
  ~Connection() override;

  Task<> serve() override;

 private:
  std::string address() const override { return stream().peer(); }
  bool encrypted() const override { return stream().encrypted(); }
  std::string_view header(std::string_view lower_name) const override { return reader_.header(lower_name); }
  bool administrates() const override { return administrates_; }
  void when_gone(std::function<void()> gone) const override { gone_ = std::move(gone); }

  // What read_request() ended with.
  enum class Arrival : uint8_t { kRequest, kEnd, kRefused };

  Task<Arrival> read_request();
  // Logs it if what came is no HTTP, but DAX.
  void note_dax() const;
  Task<bool> refuse_early(bool& origin_checked, bool& caller_checked);
  Task<bool> answer(bool keep_alive);
  ops::Call begin_call(std::string_view body);
  Task<bool> answer_call(std::string_view body, bool keep_alive);
  Task<std::optional<ops::Reply>> unpack(ops::Call& call, UnpackedBody& unpacked);
  Task<Coding> pack(ops::Reply& reply, BudgetShare& share);
  Task<bool> answer_health(bool keep_alive);
  Task<bool> answer_file(File file, bool keep_alive);
  Task<bool> answer_page(bool keep_alive);
  Task<bool> answer_preflight(bool keep_alive);
  Task<bool> refuse_origin(bool keep_alive);
  Task<bool> answer_with(ops::Reply reply, bool keep_alive);
  // `text`: the body, one line, which lives until the task has ended; or empty.
  Task<> refuse(int status, std::string_view text);
  Task<> drain();
  net::WriteBytes send(ReplyHead head, std::string_view body);

  auth::Facts facts(std::string_view body) const;
  bool is_listed(std::string_view origin) const;
  bool origin_is_allowed() const;

  ThreadContext& context_;
  const bool administrates_;
  RequestReader reader_;
  ops::RequestIds::Id id_{};  // of the request
  std::string head_;          // of the reply, kept to reuse its memory
  mutable std::function<void()> gone_;
};

}  // namespace partita::http
