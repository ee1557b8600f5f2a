#include "sinks/s3_place.h"

#include <algorithm>

#include "auth/text_util.h"

namespace partita::sinks {

namespace {

constexpr std::string_view kAwsScheme = "s3://";
constexpr size_t kMostPrefix = 512;  // S3 has 1,024 bytes for a key

bool is_small_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// By the rules for buckets in AWS's documentation that other servers share.
bool is_bucket_name(std::string_view name) {
  constexpr size_t kLeast = 3;
  constexpr size_t kMost = 63;
  const auto allowed = [](char c) { return is_small_or_digit(c) || c == '-' || c == '.'; };
  return name.size() >= kLeast && name.size() <= kMost && std::ranges::all_of(name, allowed) &&
         is_small_or_digit(name.front()) && is_small_or_digit(name.back());
}

// Steps such as ".." mean something to those who handle URLs.
bool is_key_prefix(std::string_view prefix) {
  const auto allowed = [](char c) {
    return is_small_or_digit(c) || (c >= 'A' && c <= 'Z') || std::string_view("-_.~=+,/").contains(c);
  };
  if (prefix.size() > kMostPrefix || prefix.ends_with('/') || !std::ranges::all_of(prefix, allowed)) return false;
  while (!prefix.empty()) {
    const size_t slash = std::min(prefix.find('/'), prefix.size());
    const std::string_view step = prefix.substr(0, slash);
    if (step.empty() || step == "." || step == "..") return false;
    prefix.remove_prefix(std::min(slash + 1, prefix.size()));
  }
  return true;
}

// A certificate of AWS is for one name before the rest, without a full stop.
net::Url aws_server(const std::string& bucket, std::string_view region) {
  const std::string host = "s3." + std::string(region) + ".amazonaws.com" + (region.starts_with("cn-") ? ".cn" : "");
  if (bucket.contains('.')) return {.scheme = "https", .host = host, .port = "443", .path = "/" + bucket + "/"};
  return {.scheme = "https", .host = bucket + "." + host, .port = "443", .path = "/"};
}

}  // namespace

Result<S3Place> S3Place::parse(std::string_view url, std::string_view region) {
  const Error wrong(ErrorKind::kInvalid,
                    "The URL of files in S3 is s3://BUCKET[/PREFIX], or s3+https://HOST[:PORT]/BUCKET[/PREFIX] for "
                    "other servers, the same with http. A prefix has letters, digits and -_.~=+,/ alone.");
  S3Place place;
  place.region = region;
  place.is_aws = url.starts_with(kAwsScheme);
  std::string path;
  if (place.is_aws) {
    path = url.substr(kAwsScheme.size());
  } else {
    auto server = net::Url::parse(url.substr(std::min(url.find('+') + 1, url.size())));
    if (!server.ok() || !url.contains('+') || server->host.find_first_of("?#\\") != std::string::npos) return wrong;
    path = server->path.substr(1);
    place.server = std::move(*server);
  }
  const size_t slash = std::min(path.find('/'), path.size());
  place.bucket = path.substr(0, slash);
  place.prefix = path.substr(std::min(slash + 1, path.size()));
  if (place.prefix.ends_with('/')) place.prefix.pop_back();
  if (!is_bucket_name(place.bucket) || !is_key_prefix(place.prefix)) return wrong;
  if (!place.prefix.empty()) place.prefix += '/';
  if (place.is_aws) {
    place.server = aws_server(place.bucket, region);
  } else {
    place.server.path = "/" + place.bucket + "/";
  }
  return place;
}

net::Url S3Place::url_of(std::string_view name) const {
  net::Url url = server;
  auth::append_percent(url.path, prefix, "/");
  auth::append_percent(url.path, name, "/");
  return url;
}

std::string S3Place::text() const {
  return std::string(kAwsScheme) + bucket + (prefix.empty() ? "" : "/" + prefix.substr(0, prefix.size() - 1));
}

}  // namespace partita::sinks
