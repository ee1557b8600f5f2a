#include "net/http_client.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "base/check.h"
#include "net/libcurl.h"

namespace partita::net {

namespace {

using Instant = std::chrono::steady_clock::time_point;
using std::chrono::milliseconds;

constexpr milliseconds kLongestPoll(60'000);

bool is_this_machine(std::string_view host) { return host == "localhost" || host.starts_with("127.") || host == "::1"; }

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lowered;
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

Error unavailable(std::string sentence) { return Error(ErrorKind::kUnavailable, std::move(sentence)); }

}  // namespace

// A handle of libcurl's, which keeps a pointer to it.
struct HttpClient::Transfer {
  Transfer() : easy(curl.curl_easy_init()), multi(curl.curl_multi_init()) {}
  ~Transfer() {
    if (easy != nullptr) curl.curl_easy_cleanup(easy);
    if (multi != nullptr) curl.curl_multi_cleanup(multi);
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  template <class Value>
  void set(CURLoption option, Value value) {
    if (curl.curl_easy_setopt(easy, option, value) != CURLE_OK) refused = true;
  }
  void set_up(const HttpRequest& request);
  void set_method(const HttpRequest& request);
  std::optional<CURLcode> perform(const HttpRequest& request);
  Error error_of(CURLcode code, const Url& url);
  void take_header(std::string_view line);

  static size_t take_header(char* bytes, size_t one, size_t size, void* self);
  static size_t take_body(char* bytes, size_t one, size_t size, void* self);

  const Libcurl& curl = libcurl();
  CURL* const easy;
  CURLM* const multi;
  bool refused = false;    // an option, or there was no memory for it
  bool too_large = false;  // the head
  bool body_too_large = false;
  size_t most_body = 0;
  bool head_complete = false;
  bool connected = false;
  size_t head_size = 0;
  bool reads_body = true;
  size_t ignored = 0;  // bytes of a body that is not read
  HttpReply reply;
  std::array<char, CURL_ERROR_SIZE> message{};
};

size_t HttpClient::Transfer::take_header(char* bytes, size_t, size_t size, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.head_size += size;
  transfer.too_large = transfer.head_size > kMostHead;
  if (transfer.too_large) return 0;
  transfer.take_header({bytes, size});
  return size;
}

// Also the head of a proxy's reply, and one before the last ("100 Continue").
void HttpClient::Transfer::take_header(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    reply.headers.clear();
    head_complete = false;
  }
  if (without_blanks(line).empty()) head_complete = true;
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  reply.headers.emplace_back(lower(line.substr(0, colon)), without_blanks(line.substr(colon + 1)));
}

size_t HttpClient::Transfer::take_body(char* bytes, size_t, size_t size, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  if (!transfer.reads_body) return (transfer.ignored += size) > kMostHead ? 0 : size;
  transfer.body_too_large = size > transfer.most_body - transfer.reply.body.size();
  if (transfer.body_too_large) return 0;
  transfer.reply.body.append(bytes, size);
  return size;
}

void HttpClient::Transfer::set_up(const HttpRequest& request) {
  curl.curl_easy_reset(easy);
  set(CURLOPT_ERRORBUFFER, message.data());
  set(CURLOPT_URL, request.url.text().c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  const char* const authorities =
      request.authority_file.empty() ? std::getenv("SSL_CERT_FILE") : request.authority_file.c_str();
  if (authorities != nullptr) set(CURLOPT_CAINFO, authorities);
  // Debian's libcurl has one of its own, which it would trust as well.
  if (!request.authority_file.empty()) set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TIMEOUT_MS, 0L);
  const int64_t connect_ms = std::min(request.timeout_ms, request.connect_ms);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::min<int64_t>(connect_ms, 1L << 30)));
  // Otherwise the end of a request waits for the system's look-up of the name, whatever the time.
  set(CURLOPT_QUICK_EXIT, 1L);
  if (is_this_machine(request.url.host)) set(CURLOPT_PROXY, "");
  set(CURLOPT_HEADERFUNCTION, static_cast<curl_write_callback>(&take_header));
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &take_body);
  set(CURLOPT_WRITEDATA, this);
  set_method(request);
}

void HttpClient::Transfer::set_method(const HttpRequest& request) {
  if (request.method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
  } else if (!request.body.empty() || request.method == "POST" || request.method == "PUT") {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDS, request.body.empty() ? "" : request.body.data());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  }
  set(CURLOPT_CUSTOMREQUEST, std::string(request.method).c_str());
}

// Nothing when the time was over.
std::optional<CURLcode> HttpClient::Transfer::perform(const HttpRequest& request) {
  const Instant began = std::chrono::steady_clock::now();
  Instant deadline = began + milliseconds(request.timeout_ms);
  bool hurries = false;
  const std::stop_callback wake(request.hurry, [this] { curl.curl_multi_wakeup(multi); });
  while (true) {
    int running = 0;
    if (curl.curl_multi_perform(multi, &running) != CURLM_OK) return CURLE_OUT_OF_MEMORY;
    if (running == 0) break;
    const Instant now = std::chrono::steady_clock::now();
    if (!hurries && request.hurry.stop_requested()) {
      hurries = true;
      deadline = std::min(deadline, now + milliseconds(kHurryMs));
    }
    if (now >= deadline) return std::nullopt;
    const auto left = std::chrono::ceil<milliseconds>(deadline - now);
    curl.curl_multi_poll(multi, nullptr, 0, static_cast<int>(std::min(left, kLongestPoll).count()), nullptr);
  }
  int queued = 0;
  const CURLMsg* const done = curl.curl_multi_info_read(multi, &queued);
  return done == nullptr ? CURLE_OUT_OF_MEMORY : done->data.result;
}

Error HttpClient::Transfer::error_of(CURLcode code, const Url& url) {
  const auto text = [&] { return std::string(message[0] != '\0' ? message.data() : curl.curl_easy_strerror(code)); };
  const auto unreachable = [&](const std::string& why) {
    return unavailable("Cannot reach " + url.host + " at port " + url.port + ": " + why + ".");
  };
  if (too_large) return unavailable("The server's reply is too large.");
  if (body_too_large) {
    return unavailable("The server's reply is too large: its body has more than " + std::to_string(most_body) +
                       " bytes.");
  }
  switch (code) {
    case CURLE_COULDNT_CONNECT: {
      long error = 0;
      curl.curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &error);
      return unreachable(error == 0 ? text() : std::system_category().message(static_cast<int>(error)));
    }
    case CURLE_OPERATION_TIMEDOUT:
      return unreachable(std::system_category().message(ETIMEDOUT));
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      break;
    default:
      return unreachable(text());
  }
  return unavailable("The server ended the connection before it had answered.");
}

HttpClient::HttpClient(std::unique_ptr<Transfer> transfer) : transfer_(std::move(transfer)) {}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;

Result<HttpClient> HttpClient::create() {
  PARTITA_TRY_VOID(load_libcurl());
  auto transfer = std::make_unique<Transfer>();
  if (transfer->easy == nullptr || transfer->multi == nullptr) return unavailable("There is no memory for a request.");
  return HttpClient(std::move(transfer));
}

Result<HttpReply> HttpClient::send(const HttpRequest& request) {
  Transfer& transfer = *transfer_;
  const Libcurl& curl = transfer.curl;
  transfer.refused = transfer.too_large = transfer.head_complete = transfer.connected = false;
  transfer.body_too_large = false;
  transfer.most_body = request.most_body;
  transfer.head_size = transfer.ignored = 0;
  transfer.reads_body = request.reads_body;
  transfer.reply = {};
  transfer.message[0] = '\0';
  transfer.set_up(request);
  curl_slist* headers = nullptr;
  const auto add = [&](const std::string& line) {
    curl_slist* const longer = curl.curl_slist_append(headers, line.c_str());
    if (longer == nullptr) transfer.refused = true;
    if (longer != nullptr) headers = longer;
  };
  add("Accept:");
  add("Expect:");
  for (const auto& [name, value] : request.headers) {
    if (!value.empty()) add(name + ": " + value);
  }
  transfer.set(CURLOPT_HTTPHEADER, headers);
  const bool ready = !transfer.refused && curl.curl_multi_add_handle(transfer.multi, transfer.easy) == CURLM_OK;
  std::optional<CURLcode> code = CURLE_OUT_OF_MEMORY;
  if (ready) code = transfer.perform(request);
  long status = 0;
  curl_off_t connected_us = 0;
  curl.curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
  curl.curl_easy_getinfo(transfer.easy, CURLINFO_PRETRANSFER_TIME_T, &connected_us);
  transfer.connected = connected_us > 0;
  if (ready) curl.curl_multi_remove_handle(transfer.multi, transfer.easy);
  transfer.set(CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));
  curl.curl_slist_free_all(headers);
  // A head before the last is no reply: "100 Continue", or that of a proxy.
  const bool is_reply = !request.reads_body && transfer.head_complete && status >= 200;
  if (is_reply) code = CURLE_OK;
  if (!code && transfer.connected) return unavailable("The server did not answer in time.");
  // libcurl takes the end of a connection for the end of a head.
  if (code == CURLE_OK && !transfer.head_complete) code = CURLE_PARTIAL_FILE;
  if (code != CURLE_OK) return transfer.error_of(code.value_or(CURLE_OPERATION_TIMEDOUT), request.url);
  transfer.reply.status = static_cast<int>(status);
  return std::move(transfer.reply);
}

bool HttpClient::connected() const { return transfer_->connected; }

}  // namespace partita::net
