#include "sinks/runtime_reader.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

namespace partita::sinks {

namespace {

Error wrong_request() { return Error(ErrorKind::kInvalid, "This is no request."); }

std::string runtime_lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lowered;
}

std::string_view runtime_trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// SIZE_MAX if it does not fit.
bool take_runtime_size(std::string_view text, int base, size_t& size) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size, base);
  if (error == std::errc::result_out_of_range) size = SIZE_MAX;
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

}  // namespace

Result<std::optional<RuntimeRequest>> RuntimeReader::next() {
  if (!has_head_) {
    PARTITA_TRY(has_head_, take_head());
    if (!has_head_) return std::optional<RuntimeRequest>();
  }
  bool whole = false;
  if (is_chunked_) {
    PARTITA_TRY(whole, take_chunks());
  } else {
    PARTITA_TRY(whole, take_sized());
  }
  if (!whole && !request_.is_too_large) return std::optional<RuntimeRequest>();
  has_head_ = is_chunked_ = false;
  searched_ = size_ = 0;
  return std::optional(std::exchange(request_, {}));
}

Result<bool> RuntimeReader::take_head() {
  constexpr std::string_view kEnd = "\r\n\r\n";
  const size_t end = bytes_.find(kEnd, searched_);
  if (end == std::string::npos ? bytes_.size() >= kMostHead + kEnd.size() : end > kMostHead) return wrong_request();
  if (end == std::string::npos) {
    searched_ = bytes_.size() - std::min(bytes_.size(), kEnd.size() - 1);
    return false;
  }
  std::string_view rest = std::string_view(bytes_).substr(0, end + 2);
  std::string_view line = rest.substr(0, rest.find("\r\n"));
  rest.remove_prefix(line.size() + 2);
  const size_t blank = line.find(' ');
  const size_t last = line.rfind(' ');
  if (blank == last || blank == 0 || !line.ends_with(" HTTP/1.1")) return wrong_request();
  request_ = {.method = std::string(line.substr(0, blank)), .path = {}, .body = {}};
  request_.path = line.substr(blank + 1, last - blank - 1);
  while (!rest.empty()) {
    line = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(line.size() + 2);
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return wrong_request();
    const std::string name = runtime_lower(line.substr(0, colon));
    const std::string_view value = runtime_trimmed(line.substr(colon + 1));
    if (name == "content-length" && !take_runtime_size(value, 10, size_)) return wrong_request();
    if (name != "transfer-encoding") continue;
    if (runtime_lower(value) != "chunked") return wrong_request();
    is_chunked_ = true;
  }
  bytes_.erase(0, end + kEnd.size());
  return true;
}

bool RuntimeReader::too_large() {
  request_.is_too_large = true;
  request_.body.clear();
  return false;
}

Result<bool> RuntimeReader::take_sized() {
  if (size_ > kMostBody) return too_large();
  if (bytes_.size() < size_) return false;
  request_.body = bytes_.substr(0, size_);
  bytes_.erase(0, size_);
  return true;
}

// Each chunk that is there whole; the last one is empty. There are no trailers.
Result<bool> RuntimeReader::take_chunks() {
  constexpr size_t kMostLine = 64;
  size_t at = 0;
  bool whole = false;
  while (!whole) {
    const size_t end = bytes_.find("\r\n", at);
    if (end == std::string::npos ? bytes_.size() - at > kMostLine + 1 : end - at > kMostLine) return wrong_request();
    if (end == std::string::npos) break;
    size_t size = 0;
    const std::string_view line = std::string_view(bytes_).substr(at, end - at);
    if (!take_runtime_size(line.substr(0, line.find(';')), 16, size)) return wrong_request();
    if (size > kMostBody - request_.body.size()) return too_large();
    if (bytes_.size() < end + 2 + size + 2) break;
    if (bytes_.compare(end + 2 + size, 2, "\r\n") != 0) return wrong_request();
    request_.body.append(bytes_, end + 2, size);
    at = end + 2 + size + 2;
    whole = size == 0;
  }
  bytes_.erase(0, at);
  return whole;
}

}  // namespace partita::sinks
