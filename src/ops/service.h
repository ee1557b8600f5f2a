// Every operation of DynamoDB behind one function: a request's words in, a reply's words out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "auth/authenticate.h"
#include "base/drain_lock.h"
#include "base/exposition.h"
#include "base/result.h"
#include "base/task.h"

namespace partita::table {
class Database;
}
namespace partita::iam {
class Directory;
}

namespace partita::ops {

// Where a call comes from.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::string address() const = 0;  // of the network, as digits; empty when it cannot be had any more
  virtual bool encrypted() const = 0;
  // A header of the request, by its name in small letters; empty when absent. Lives until the call is answered().
  virtual std::string_view header(std::string_view /*lower_name*/) const { return {}; }
  // Whether it is the administration socket, so that nobody has to sign.
  virtual bool administrates() const { return false; }
  // Has `gone` called, once, when the other side has closed the connection, or it ended otherwise: never while a call
  // of it is answered. It takes the place of one that was given before.
  virtual void when_gone(std::function<void()> /*gone*/) const {}
};

class Execution;
class RequestFootprint;
struct Operation;

struct Call {
  std::string_view target;        // the X-Amz-Target header, empty when absent
  std::string_view content_type;  // the Content-Type header, empty when absent
  std::string_view body;
  auth::Verdict caller;
  std::string_view host = {};  // the Host header, empty when absent
  const Source* source = nullptr;
  std::string_view request_id = {};       // by which the reply's head names it
  std::string_view space = {};            // the X-Partita-Namespace header, empty when absent
  bool posted = true;                     // anything but a POST is no call, and comes without the above
  RequestFootprint* footprint = nullptr;  // where is noted which tables it is counted with; null: it is with none
};

struct Reply {
  int status = 200;
  std::string_view content_type = "application/x-amz-json-1.0";  // static storage
  std::string body = {};
  bool repeatable = false;      // the operation changes nothing: its reply may be dropped and asked for again
  std::string trouble = {};     // what the operator should know of a failure; not for the caller
  uint32_t retry_after_ms = 0;  // what the caller should wait before he tries again; 0: nothing is said
  // For RequestCounts: which operation it was, if there is one of that name, and the number of its error, if any.
  const Operation* operation = nullptr;
  std::optional<uint8_t> error = std::nullopt;
  bool callers_fault = false;  // though AWS answers it as one of the server: counted as SerializationException
};

// What is answered when there is no memory to even begin, so that every SDK tries again.
Reply overloaded();
// What is answered to a call that failed so: AWS's words, and what the operator should know.
Reply refusal(const Error& error);
// Who calls. Faults: what is wrong with the signature.
Result<const auth::Caller*> caller_of(const Call& call);
// The same; null when the signature was refused, so that anybody may be the caller.
const auth::Caller* known_caller(const Call& call);
// Whether the body is said to be JSON, or there is none; if not, not_json() is the answer.
bool speaks_json(const Call& call);
Reply not_json();
// JSON is answered as what it was asked as: "application/json" for all but the usual type.
void match_content_type(const Call& call, Reply& reply);
// What is answered to a body that cannot be unpacked: like AWS an internal error. `why` is for the operator.
Reply undecodable(std::string why);
// What is answered to a body that becomes too large when it is unpacked.
Reply too_large();
// What is answered to a call that nobody signed.
Reply unsigned_call();
// What is answered when memory ran out on the way: whether the request took effect is open.
Reply out_of_memory();

class Admission;

// What is done with an access that no policy allows, or that one denies.
enum class Enforcement : uint8_t { kRefuse, kWarn };

class Service {
 public:
  // The database outlives the service. `requests_per_second`: of each principal; 0 is as many as they like.
  // `directory`: what calls of IAM and STS are about, which outlives the service too; null: they are refused.
  explicit Service(table::Database& database, Enforcement enforcement = Enforcement::kRefuse,
                   uint64_t requests_per_second = 0, iam::Directory* directory = nullptr);
  // Another one of the same server, for the namespace of that name and without a directory: the same enforcement, each
  // principal has one rate in both, and the elder reports the tables of both.
  Service(table::Database& database, const Service& elder, std::string space);
  ~Service();

  // Never fails: what goes wrong is a Reply with AWS's error body. What `call` points into must live until the task has
  // ended. Callable from any thread.
  Task<Reply> call(const Call& call);

  // An operation without a protocol: the request is in the execution, and so is the reply afterwards. The caller is not
  // counted against a rate. All arguments outlive the task. Callable from any thread.
  Task<Result<void>> run(const Operation& operation, const auth::Caller& caller, Execution& execution);

  // What the call is answered when its policies allow no part of it, by the names in it alone: for a database in which
  // nothing is, to be made of the call if they do. Nothing: they do. The service has a database without tables.
  Task<std::optional<Reply>> refuse_in_empty(const Call& call);

  // Bytes that answering the call may take beyond its body and its reply, at most.
  static size_t memory_of(const Call& call);

  // Counts what the call was answered with, by this service or for it, and how long that took. Callable from any
  // thread.
  void answered(const Call& call, const Reply& reply, int64_t took_ns);
  // Counts what was no call, and was answered so. Callable from any thread.
  void refused(int status);

  // Whoever uses the database beside the calls goes through here; see pause(). Null: there is none now.
  DrainLock& drain_lock() { return drain_lock_; }
  table::Database* database() { return database_; }
  // Blocks until no call is under way; those that come wait for resume(). Not on a thread that serves, and only one at
  // a time.
  void pause() { drain_lock_.close(); }
  // Goes on, with another database, which may be what became of the one before.
  void resume(table::Database& database);
  // Iterators of shards that were issued before that moment are expired. While it is paused, or before the first call.
  void expire_iterators(int64_t from_ms) { iterators_from_ms_ = from_ms; }
  // Goes on without any: calls fail, until it is paused and resumed.
  void resume_without();

  // Who calls; a call whose signature is wrong counts against the rate that such calls share. Faults: what is wrong
  // with the signature; kRateExceeded.
  Result<const auth::Caller*> caller_of(const Call& call);

  // Whether the caller may do what is no operation of DynamoDB, such as "partita:ListNamespaces", of which all
  // resources are "*": by the rate, which it is counted with, and by policies. Faults: kRateExceeded; kDeniedByIdentity
  // and those that follow it.
  Result<void> permit(const Call& call, const auth::Caller& caller, std::string_view action);

  // What decides over each access.
  const Admission& admission() const;
  // All of it, for an operator. Callable from any thread.
  void report(Exposition& out);

 private:
  struct Parts;
  Task<Reply> call(const Call& call, bool* allowed);
  table::Database* database_;      // changes only while the drain lock is closed
  int64_t iterators_from_ms_ = 0;  // so does this
  DrainLock drain_lock_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace partita::ops
