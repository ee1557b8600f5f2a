#include "app/serve.h"

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "app/engines.h"
#include "base/clock.h"
#include "base/random.h"
#include "http/server.h"
#include "ops/service.h"
#include "table/database.h"

namespace partita::app {

namespace {

class ServiceHandler final : public http::Handler {
 public:
  explicit ServiceHandler(ops::Service& service) : service_(service) {}
  Task<ops::Reply> call(const ops::Call& call) override { return service_.call(call); }

 private:
  ops::Service& service_;
};

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

void say_ready(const CommandLine& line, std::string_view version, uint16_t port) {
  const bool six = line.http.address.find(':') != std::string::npos;
  const std::string host = six ? "[" + line.http.address + "]" : line.http.address;
  const std::string text = "partita " + std::string(version) + " is serving DynamoDB on http://" + host + ":" +
                           std::to_string(port) + ", data in " + place_of_store(line.store) + "\n";
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace

void hold_signals() {
  const sigset_t signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

Result<void> serve(const CommandLine& line, std::string_view version) {
  PARTITA_TRY(const std::unique_ptr<storage::Engine> engine, open_store(line.store));
  PARTITA_TRY(const std::unique_ptr<table::Database> database,
              table::Database::open(*engine, system_clock(), system_random()));
  ops::Service service(*database);
  ServiceHandler handler(service);
  PARTITA_TRY(const std::unique_ptr<http::Server> server,
              http::Server::listen(line.http, handler, system_clock(), system_random()));
  std::thread stopper([&server] {
    const sigset_t signals = stop_signals();
    int signal = 0;
    sigwait(&signals, &signal);
    std::fprintf(stderr, "partita: stopping on %s\n", signal == SIGTERM ? "SIGTERM" : "SIGINT");
    server->stop();
  });
  say_ready(line, version, server->port());
  server->run();
  stopper.join();
  return {};
}

}  // namespace partita::app
