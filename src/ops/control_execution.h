// Executions of the operations on tables as such; see execution.h.
#pragma once

#include <coroutine>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ops/execution.h"
#include "ops/resource_arn.h"

namespace partita::ops {

// What a request to an operation on tables as such names, for authorisation, the audit log and logs of requests. The
// driver replaces ARNs by names, so run() sees names only. Everything points into the request. Null: the request has no
// such member.
struct Subject {
  std::string* table = nullptr;               // a name, or an ARN that the driver replaces by the name
  api::Resource* resource = nullptr;          // has its ARN; the driver fills in the rest
  ArnRules arn_rules = ArnRules::kTags;       // for the resource
  const std::string* global_table = nullptr;  // a name
  const std::string* stream_arn = nullptr;
  api::StreamName* stream = nullptr;  // the driver puts what `stream_arn` names here
  const std::optional<std::string>* index = nullptr;
  std::string* region = nullptr;  // the driver puts the caller's here
  const std::vector<api::Tag>* tags = nullptr;
  const std::vector<std::string>* tag_names = nullptr;
  const std::string* other = nullptr;                // a resource of another service, for the logs alone
  const std::string* cluster = nullptr;              // a name, or "*" for all clusters
  std::vector<std::string_view> other_actions = {};  // of IAM, which the request needs beside its own
};

class ControlExecution : public Execution {
 public:
  Task<Result<void>> run(const Context& context) final;

 protected:
  // The ARN that run() replaced by the table's name; empty: the request had a name.
  const std::string& arn_given() const { return arn_given_; }

 private:
  friend struct ControlRunning;
  virtual Subject subject() = 0;
  virtual bool start(const Context& context, std::coroutine_handle<> awaiter) = 0;
  virtual Result<void> finish() = 0;

  std::string arn_given_;
};

// An operation on tables as such. It is not bound to a description: `table` checks the request against the newest one,
// in the transaction that changes it. run() is called once the request is admitted.
//
//   struct DescribeTimeToLive {
//     using Execution = ControlExecutionOf<DescribeTimeToLive>;
//     using Request = api::NamedTable;
//     using Reply = api::DescribeTimeToLiveReply;
//     static Result<Request> decode(const wire::Members& in);
//     static Subject subject(Request& request) { return {.table = &request.name}; }
//     static Task<Result<Reply>> run(const Context& context, const Request& request);
//     static std::string encode(const Context& context, const Reply& reply);
//   };
template <class Call>
class ControlExecutionOf final : public ControlExecution {
 public:
  using Request = typename Call::Request;
  using Reply = typename Call::Reply;

  explicit ControlExecutionOf(Request request) : request_(std::move(request)) {}
  // See ItemExecutionOf.
  template <class Decode>
    requires std::is_invocable_r_v<Result<Request>, Decode>
  explicit ControlExecutionOf(Decode decode) : request_(decode()) {}
  void visit_names(VisitName visit) override {
    const Subject named = Call::subject(*request_);
    if (named.table != nullptr) visit(arn_given().empty() ? *named.table : arn_given(), {}, table::Verb::kControl);
    if (named.resource != nullptr) visit(named.resource->arn, {}, table::Verb::kControl);
    if (named.stream_arn != nullptr) visit(*named.stream_arn, {}, table::Verb::kControl);
    if (named.other != nullptr) visit(*named.other, {}, table::Verb::kControl);
    if (named.cluster != nullptr) visit(*named.cluster, {}, table::Verb::kControl);
  }

  Result<Request>& decoded() { return request_; }
  const Request& request() const { return *request_; }
  // Precondition: run() succeeded.
  const Reply& reply() const { return *reply_; }

  template <class Codec>
  static auto encode(const ControlExecutionOf& done, const Context& context) {
    return Codec::encode(context, done.reply());
  }

 private:
  Subject subject() override { return Call::subject(*request_); }
  bool start(const Context& context, std::coroutine_handle<> awaiter) override {
    return running_.start(Call::run(context, *request_), awaiter);
  }
  Result<void> finish() override {
    PARTITA_TRY(Reply reply, running_.finish());
    reply_.emplace(std::move(reply));
    return {};
  }

  Result<Request> request_;
  Running<Reply> running_;
  std::optional<Reply> reply_;
};

}  // namespace partita::ops
