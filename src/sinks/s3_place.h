// Where objects of S3 are, or of a server that speaks its protocol.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "net/url.h"

namespace partita::sinks {

struct S3Place {
  net::Url server;  // its path is that of the bucket: "/" or "/BUCKET/"
  std::string bucket;
  std::string prefix;  // of the keys of objects: empty, or "a/b/"
  std::string region;  // for which requests are signed
  bool is_aws = false;
  std::string credentials_file;  // as auth::read_signing_key(); empty: a key of no meaning, as emulators take
  std::string authority_file;

  // "s3://BUCKET[/PREFIX]" is in AWS's region. "s3+https://HOST[:PORT]/BUCKET[/PREFIX]", or "s3+http", is elsewhere,
  // and gets the bucket in the path. Nothing is decoded. Precondition: `region` is one. Error: kInvalid (reason 0),
  // with one sentence.
  static Result<S3Place> parse(std::string_view url, std::string_view region);

  // Of the object PREFIX + name.
  net::Url url_of(std::string_view name) const;
  std::string text() const;  // "s3://BUCKET/PREFIX"
};

}  // namespace partita::sinks
