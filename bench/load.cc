// A closed-loop HTTP client for one machine: N keep-alive connections, each with one request under way, on one thread.
//
//   load --port 8000 --pid 1234 --connections 64 --seconds 3 < requests
//
// Standard input holds the requests, one per line: an operation, a space, the JSON body. They are built before the
// clock starts and sent in turn; with --once each is sent once. Prints one line of JSON: the rate, the latencies, and
// the CPU time that the process `pid` used per request. A reply that is not a 200 ends the run with exit code 1.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  uint16_t port = 0;
  int pid = 0;
  size_t connections = 1;
  double seconds = 1;
  bool once = false;
};

struct Connection {
  int fd = -1;
  std::string received;
  Clock::time_point sent;
};

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "load: %s\n", why.c_str());
  std::exit(1);
}

// Well formed, as an SDK sends it; the time that a client needs to sign would only slow the client down.
std::string http_request(std::string_view operation, std::string_view body) {
  std::string text = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-amz-json-1.0\r\n";
  text += "User-Agent: partita-bench/1.0\r\nAccept-Encoding: identity\r\nX-Amz-Date: 20260101T000000Z\r\n";
  text += "X-Amz-Target: DynamoDB_20120810." + std::string(operation) + "\r\n";
  text += "Authorization: AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, ";
  text += "SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=" + std::string(64, 'a') + "\r\n";
  text += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  return text.append(body);
}

std::vector<std::string> read_requests() {
  std::vector<std::string> requests;
  for (std::string line; std::getline(std::cin, line);) {
    const size_t space = line.find(' ');
    if (space == std::string::npos) fail("a request is an operation, a space and a body");
    requests.push_back(http_request(std::string_view(line).substr(0, space), std::string_view(line).substr(space + 1)));
  }
  if (requests.empty()) fail("there are no requests on standard input");
  return requests;
}

// User and system time of the process so far, in microseconds, as exact as the kernel's clock ticks.
double cpu_us(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat((std::istreambuf_iterator<char>(file)), {});
  const size_t name_end = stat.rfind(')');
  unsigned long user = 0;
  unsigned long system = 0;
  if (name_end == std::string::npos ||
      std::sscanf(stat.c_str() + name_end + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) !=
          2) {
    fail("process " + std::to_string(pid) + " is not there");
  }
  return static_cast<double>(user + system) * 1e6 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

class Load {
 public:
  Load(const Options& options, std::vector<std::string> requests)
      : options_(options), requests_(std::move(requests)), connections_(options.connections) {}

  void run() {
    epoll_ = epoll_create1(0);
    for (Connection& connection : connections_) open(connection);
    start_ = Clock::now();
    end_ = start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.seconds));
    const double cpu_before = cpu_us(options_.pid);
    for (Connection& connection : connections_) send_next(connection);
    while (in_flight_ > 0) wait();
    const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
    report(elapsed, cpu_us(options_.pid) - cpu_before);
  }

 private:
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
  }

  void send_next(Connection& connection) {
    if (options_.once ? next_ == requests_.size() : Clock::now() >= end_) return;
    const std::string& request = requests_[next_++ % requests_.size()];
    connection.sent = Clock::now();
    // The socket's buffer always has room: this connection's last request has been answered.
    if (send(connection.fd, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size())) {
      fail("cannot send");
    }
    ++in_flight_;
  }

  void wait() {
    epoll_event events[64];
    const int count = epoll_wait(epoll_, events, 64, 10'000);
    if (count <= 0) fail("no answer within 10 seconds");
    for (int i = 0; i < count; ++i) receive(*static_cast<Connection*>(events[i].data.ptr));
  }

  void receive(Connection& connection) {
    const size_t had = connection.received.size();
    connection.received.resize(had + 65536);
    const ssize_t got = recv(connection.fd, connection.received.data() + had, 65536, 0);
    if (got <= 0) fail("the server closed a connection");
    connection.received.resize(had + static_cast<size_t>(got));
    if (!complete(connection.received)) return;
    latencies_us_.push_back(std::chrono::duration<float, std::micro>(Clock::now() - connection.sent).count());
    reply_bytes_ = connection.received.size();
    connection.received.clear();
    --in_flight_;
    send_next(connection);
  }

  static bool complete(const std::string& reply) {
    const size_t head_end = reply.find("\r\n\r\n");
    if (head_end == std::string::npos) return false;
    if (reply.compare(0, 12, "HTTP/1.1 200") != 0) fail("an unexpected reply: " + reply);
    const char* length = strcasestr(reply.c_str(), "\r\ncontent-length:");
    if (!length) fail("a reply without a length: " + reply);
    return reply.size() >= head_end + 4 + std::strtoul(length + 17, nullptr, 10);
  }

  void report(double elapsed, double cpu) {
    std::sort(latencies_us_.begin(), latencies_us_.end());
    const size_t count = latencies_us_.size();
    std::printf(
        "{\"requests\": %zu, \"per_second\": %.0f, \"p50_us\": %.1f, \"p99_us\": %.1f, \"cpu_us\": %.2f, "
        "\"reply_bytes\": %zu}\n",
        count, static_cast<double>(count) / elapsed, static_cast<double>(latencies_us_[count / 2]),
        static_cast<double>(latencies_us_[count * 99 / 100]), cpu / static_cast<double>(count), reply_bytes_);
  }

  const Options options_;
  const std::vector<std::string> requests_;
  std::vector<Connection> connections_;
  std::vector<float> latencies_us_;
  Clock::time_point start_;
  Clock::time_point end_;
  int epoll_ = -1;
  size_t next_ = 0;
  size_t in_flight_ = 0;
  size_t reply_bytes_ = 0;  // of the last reply
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--once") {
      options.once = true;
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
    } else {
      fail("unknown option " + std::string(name));
    }
  }
  if (options.connections == 0) fail("--connections must be at least 1");
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  Load(options, read_requests()).run();
}
