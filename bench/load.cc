// A client of HTTP or DAX for one machine: N connections that stay, each with at most one request under way, on one
// thread.
//
//   load --port 8000 --pid 1234 --connections 64 --seconds 3 < requests
//
// Standard input holds the requests, one per line: an operation, a space, the JSON body. An operation of another API
// than DynamoDB's begins with that API's name (DynamoDBStreams_20120810.GetRecords). It may be followed by when it was
// signed and the signature (GetItem:20260101T000000Z:5d67…): bench/signing.py computes them beforehand, so that the
// client is not what limits the rate. The requests are read before the clock starts and sent in turn; with
// --once each is read when its turn comes, and sent once.
//
// With --greeting HEX each connection first sends these bytes, which open it for requests of DAX. A line then holds an
// operation, a space, and the bytes of the request as hexadecimal digits.
//
// Every connection sends its next request as soon as the last is answered (a closed loop); with --rate R requests are
// due R times a second on average, whatever the server does, and a latency counts from when the request was due.
//
// Prints one line of JSON: the rate, the latencies (all, and of each operation), the longest time without any reply
// while one was due, and the CPU time per request of the process `pid` and of this client. A reply with another status
// than 200, or than that of --status, or that leaves a part of a batch undone, ends the run with exit code 1. So does a
// reply of DAX that is an error or finds nothing. With --refusals, a reply that says that a throughput was exceeded is
// counted instead, and its latency is left out.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{60};
constexpr std::chrono::seconds kGrace{2};
constexpr size_t kReadBytes = 256 * 1024;
constexpr size_t kMaxDepth = 16;      // of values of CBOR
constexpr uint64_t kUntilBreak = ~0;  // instead of a number of values

struct Options {
  uint16_t port = 0;
  int pid = 0;
  size_t connections = 1;
  double seconds = 1;
  double rate = 0;  // 0: a closed loop
  bool once = false;
  bool refusals = false;
  std::string status = "200";  // of all other replies
  std::string greeting;        // of DAX
};

struct Request {
  size_t operation = 0;  // its place among the operations' names
  std::string text;
};

struct Connection {
  int fd = -1;
  size_t operation = 0;
  Clock::time_point due;
  std::string received;     // the head, and the body of a reply that does not say how long it is
  size_t body_missing = 0;  // of a reply whose head has been seen
  bool refused = false;     // that reply is a refusal that is counted
};

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "load: %s\n", why.c_str());
  std::exit(1);
}

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// Well formed, as an SDK sends it. A request that was not signed has a signature of the right form.
std::string http_request(std::string_view operation, std::string_view date, std::string_view signature,
                         std::string_view body) {
  std::string text = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-amz-json-1.0\r\n";
  text += "User-Agent: partita-bench/1.0\r\nAccept-Encoding: identity\r\nX-Amz-Date: ";
  const bool names_its_api = operation.find('.') != std::string_view::npos;
  text.append(date).append("\r\nX-Amz-Target: ").append(names_its_api ? "" : "DynamoDB_20120810.").append(operation);
  text.append("\r\nAuthorization: AWS4-HMAC-SHA256 Credential=local/").append(date.substr(0, 8));
  text += "/us-east-1/dynamodb/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=";
  text.append(signature).append("\r\nContent-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
  return text.append(body);
}

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (size_t at = 0; at + 1 < hex.size(); at += 2) {
    bytes.push_back(static_cast<char>(std::strtol(std::string(hex.substr(at, 2)).c_str(), nullptr, 16)));
  }
  return bytes;
}

// Where the value of CBOR that begins at `at` ends; npos if it is not whole.
size_t end_of_value(std::string_view bytes, size_t at) {
  uint64_t missing[kMaxDepth] = {1};  // values of each array and map that is open, the innermost last
  size_t depth = 0;
  while (true) {
    while (depth > 0 && missing[depth] == 0) --depth;
    if (missing[0] == 0 && depth == 0) return at;
    if (at == bytes.size()) return std::string_view::npos;
    const auto first = static_cast<uint8_t>(bytes[at++]);
    if (first == 0xff) {
      missing[depth] = 0;
      continue;
    }
    if (missing[depth] != kUntilBreak) --missing[depth];
    const unsigned kind = first >> 5;
    const unsigned low = first & 31;
    const size_t size = low < 24 || low == 31 ? 0 : size_t{1} << (low - 24);
    if (bytes.size() - at < size) return std::string_view::npos;
    uint64_t argument = size == 0 ? low : 0;
    for (size_t i = 0; i < size; ++i) argument = argument << 8 | static_cast<uint8_t>(bytes[at++]);
    if (kind == 2 || kind == 3) {
      if (bytes.size() - at < argument) return std::string_view::npos;
      at += argument;
    } else if (kind >= 4 && kind <= 6) {
      if (++depth == kMaxDepth) fail("a reply of DAX is too deep");
      missing[depth] = kind == 6 ? 1 : low == 31 ? kUntilBreak : kind == 5 ? 2 * argument : argument;
    }
  }
}

// User and system time of the process so far, of all its threads.
double cpu_us(int pid) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) {
    fail("process " + std::to_string(pid) + " is not there");
  }
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

// The requests on standard input: all read at once and then gone round, or each when its turn comes.
class Requests {
 public:
  Requests(bool once, bool dax) : once_(once), dax_(dax) {
    while (!once_ && read()) kept_.push_back(std::move(last_));
    if (!once_ && kept_.empty()) fail("there are no requests on standard input");
  }

  // The next to be sent, until the call after this; nothing after the last.
  const Request* next() {
    if (once_) return read() ? &last_ : nullptr;
    return &kept_[turn_++ % kept_.size()];
  }
  const std::vector<std::string>& operations() const { return operations_; }

 private:
  bool read() {
    if (!std::getline(std::cin, line_)) return false;
    const std::string_view line = line_;
    const size_t space = line.find(' ');
    if (space == std::string::npos) fail("a request is an operation, a space and a body");
    std::string_view name = line.substr(0, space);
    if (dax_) {
      last_ = {place_of(name), bytes_of(line.substr(space + 1))};
      return true;
    }
    std::string_view date = "20260101T000000Z";
    std::string_view signature = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    if (const size_t colon = name.find(':'); colon != std::string::npos) {
      if (name.size() != colon + 82) fail("a signature is a date of 16 letters, a colon and 64 digits");
      date = name.substr(colon + 1, 16);
      signature = name.substr(colon + 18);
      name = name.substr(0, colon);
    }
    last_ = {place_of(name), http_request(name, date, signature, line.substr(space + 1))};
    return true;
  }

  size_t place_of(std::string_view name) {
    const auto found = std::find(operations_.begin(), operations_.end(), name);
    if (found != operations_.end()) return static_cast<size_t>(found - operations_.begin());
    operations_.emplace_back(name);
    return operations_.size() - 1;
  }

  const bool once_;
  const bool dax_;
  std::vector<std::string> operations_;
  std::vector<Request> kept_;
  Request last_;
  std::string line_;
  size_t turn_ = 0;
};

// What is known of some replies: their latencies, in microseconds.
class Latencies {
 public:
  void add(double us) { us_.push_back(static_cast<float>(us)); }
  void add(const Latencies& others) { us_.insert(us_.end(), others.us_.begin(), others.us_.end()); }
  size_t count() const { return us_.size(); }
  void print() {
    std::sort(us_.begin(), us_.end());
    const auto at = [&](double share) {
      return us_.empty() ? 0.0
                         : static_cast<double>(us_[static_cast<size_t>(static_cast<double>(us_.size() - 1) * share)]);
    };
    std::printf("\"requests\": %zu, \"p50_us\": %.1f, \"p99_us\": %.1f, \"p999_us\": %.1f, \"max_us\": %.1f",
                us_.size(), at(0.5), at(0.99), at(0.999), at(1));
  }

 private:
  std::vector<float> us_;
};

class Load {
 public:
  explicit Load(const Options& options)
      : options_(options),
        requests_(options.once, !options.greeting.empty()),
        connections_(options.connections),
        buffer_(kReadBytes) {}

  void run() {
    epoll_ = epoll_create1(0);
    for (Connection& connection : connections_) {
      open(connection);
      idle_.push_back(&connection);
    }
    const Clock::time_point start = Clock::now();
    next_due_ = last_reply_ = start;
    end_ = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.seconds));
    const double server_before = cpu_us(options_.pid);
    const double own_before = cpu_us(0);
    for (send_due(); more_ || in_flight() > 0; send_due()) wait();
    const double elapsed = seconds_between(start, Clock::now());
    report(elapsed, cpu_us(options_.pid) - server_before, cpu_us(0) - own_before);
  }

 private:
  size_t in_flight() const { return connections_.size() - idle_.size(); }

  void open(Connection& connection) {
    connection.fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(options_.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(connection.fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) fail("cannot connect");
    const int on = 1;
    setsockopt(connection.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &connection;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.fd, &event);
    send_all(connection, options_.greeting);
  }

  // Sends what is due, as far as connections are idle. `more_` says whether anything will be due later.
  void send_due() {
    while (more_ && !idle_.empty()) {
      const Clock::time_point now = Clock::now();
      const Clock::time_point due = options_.rate > 0 ? next_due_ : now;
      // A client that cannot keep up ends all the same.
      if (!options_.once && (due >= end_ || now >= end_ + kGrace)) {
        more_ = false;
      } else if (due > now) {
        return;
      } else if (const Request* request = requests_.next()) {
        if (options_.rate > 0) next_due_ += gap();
        Connection& connection = *idle_.front();
        idle_.pop_front();
        if (in_flight() == 1) last_reply_ = now;
        send_on(connection, *request, due);
      } else {
        more_ = false;
      }
    }
  }

  // Between two requests that come by chance.
  Clock::duration gap() {
    std::exponential_distribution<double> distribution(options_.rate);
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(distribution(chance_)));
  }

  static void send_on(Connection& connection, const Request& request, Clock::time_point due) {
    connection.operation = request.operation;
    connection.due = due;
    send_all(connection, request.text);
  }

  static void send_all(const Connection& connection, const std::string& text) {
    for (size_t sent = 0; sent < text.size();) {
      const ssize_t wrote = send(connection.fd, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (wrote <= 0) fail("cannot send");
      sent += static_cast<size_t>(wrote);
    }
  }

  void wait() {
    timespec until{};
    const bool waits_for_turn = options_.rate > 0 && more_ && !idle_.empty();
    const auto patience = waits_for_turn ? std::max(next_due_ - Clock::now(), Clock::duration::zero()) : kPatience;
    until.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(patience).count();
    until.tv_nsec = std::chrono::duration_cast<std::chrono::nanoseconds>(patience).count() % 1'000'000'000;
    epoll_event events[64];
    const int count = epoll_pwait2(epoll_, events, 64, &until, nullptr);
    if (count < 0 || (count == 0 && !waits_for_turn)) fail("no answer within a minute");
    for (int i = 0; i < count; ++i) receive(*static_cast<Connection*>(events[i].data.ptr));
  }

  void receive(Connection& connection) {
    const ssize_t got = recv(connection.fd, buffer_.data(), buffer_.size(), 0);
    if (got <= 0) fail("the server closed a connection");
    const std::string_view bytes(buffer_.data(), static_cast<size_t>(got));
    if (!(options_.greeting.empty() ? is_whole(connection, bytes) : is_whole_dax(connection, bytes))) return;
    const Clock::time_point now = Clock::now();
    latencies_.resize(requests_.operations().size());
    if (connection.refused) {
      ++refused_;
    } else {
      latencies_[connection.operation].add(seconds_between(connection.due, now) * 1e6);
    }
    longest_silence_us_ = std::max(longest_silence_us_, seconds_between(last_reply_, now) * 1e6);
    last_reply_ = now;
    connection.received.clear();
    idle_.push_back(&connection);
  }

  // Whether the reply has ended with these bytes. Its length is what its head says, or it comes in chunks.
  bool is_whole(Connection& connection, std::string_view bytes) {
    if (connection.body_missing > 0) {
      if (bytes.size() > connection.body_missing) fail("more bytes than a reply has");
      connection.body_missing -= bytes.size();
      return connection.body_missing == 0;
    }
    std::string& reply = connection.received.append(bytes);
    const size_t head_end = reply.find("\r\n\r\n");
    if (head_end == std::string::npos) return false;
    const size_t had = reply.size() - head_end - 4;
    const char* length = strcasestr(reply.c_str(), "\r\ncontent-length:");
    const size_t size = length ? std::strtoul(length + 17, nullptr, 10) : 0;
    const bool whole = length ? had >= size : reply.ends_with("\r\n0\r\n\r\n");
    connection.refused = options_.refusals && whole && is_refusal(reply);
    if ((whole || length) && !connection.refused) check(reply);
    reply_bytes_ = head_end + 4 + (length ? size : had);
    if (length && !whole) connection.body_missing = size - had;
    return whole;
  }

  // The same of a reply of DAX: an empty array, which an error has not, and a value, which is null if nothing was
  // found.
  bool is_whole_dax(Connection& connection, std::string_view bytes) {
    const std::string& reply = connection.received.append(bytes);
    if (reply[0] != '\x80' || (reply.size() > 1 && reply[1] == '\xf6'))
      fail("a reply of DAX is an error, or has nothing");
    reply_bytes_ = end_of_value(reply, 1);
    if (reply_bytes_ < reply.size()) fail("more bytes than a reply has");
    return reply_bytes_ == reply.size();
  }

  static bool is_refusal(const std::string& reply) {
    return reply.starts_with("HTTP/1.1 400") &&
           (reply.find("#ProvisionedThroughputExceededException") != std::string::npos ||
            reply.find("#ThrottlingException") != std::string::npos);
  }

  void check(const std::string& reply) const {
    if (!reply.starts_with("HTTP/1.1 " + options_.status)) fail("an unexpected reply: " + reply);
    if (reply.find("\"UnprocessedItems\":{\"") != std::string::npos) fail("a batch was left undone: " + reply);
  }

  void report(double elapsed, double server_us, double own_us) {
    Latencies all;
    for (const Latencies& of_operation : latencies_) all.add(of_operation);
    const double count = static_cast<double>(all.count());
    if (all.count() + refused_ == 0) fail("nothing was answered");
    std::printf("{");
    all.print();
    std::printf(", \"per_second\": %.0f, \"cpu_us\": %.2f, \"client_cpu_us\": %.2f, \"client_busy\": %.3f, ",
                count / elapsed, server_us / count, own_us / count, own_us / 1e6 / elapsed);
    std::printf("\"refused\": %zu, ", refused_);
    std::printf("\"longest_silence_us\": %.1f, \"reply_bytes\": %zu, \"operations\": {", longest_silence_us_,
                reply_bytes_);
    for (size_t i = 0; i < latencies_.size(); ++i) {
      std::printf("%s\"%s\": {", i == 0 ? "" : ", ", requests_.operations()[i].c_str());
      latencies_[i].print();
      std::printf("}");
    }
    std::printf("}}\n");
  }

  const Options options_;
  Requests requests_;
  std::vector<Connection> connections_;
  std::deque<Connection*> idle_;
  std::vector<Latencies> latencies_;  // of each operation
  std::vector<char> buffer_;
  std::mt19937_64 chance_{7};
  Clock::time_point end_;
  Clock::time_point next_due_;
  Clock::time_point last_reply_;  // or when the first request after an idle moment was sent
  double longest_silence_us_ = 0;
  int epoll_ = -1;
  bool more_ = true;
  size_t reply_bytes_ = 0;  // of the last reply
  size_t refused_ = 0;
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--once") {
      options.once = true;
      continue;
    }
    if (name == "--refusals") {
      options.refusals = true;
      continue;
    }
    if (i + 1 == argc) fail("an option lacks its value");
    const char* value = argv[++i];
    if (name == "--port") {
      options.port = static_cast<uint16_t>(std::atoi(value));
    } else if (name == "--pid") {
      options.pid = std::atoi(value);
    } else if (name == "--connections") {
      options.connections = std::strtoul(value, nullptr, 10);
    } else if (name == "--seconds") {
      options.seconds = std::strtod(value, nullptr);
    } else if (name == "--rate") {
      options.rate = std::strtod(value, nullptr);
    } else if (name == "--status") {
      options.status = value;
    } else if (name == "--greeting") {
      options.greeting = bytes_of(value);
    } else {
      fail("unknown option " + std::string(name));
    }
  }
  if (options.connections == 0) fail("--connections must be at least 1");
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  prctl(PR_SET_TIMERSLACK, 1);  // so that a request is sent when it is due
  Load(read_options(argc, argv)).run();
}
