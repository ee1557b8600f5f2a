// The three protocols of CloudWatch: how a call names its operation, and how its parameters and its reply are written.
//
//   const Protocol* const protocol = protocol_of({call.target, call.path, call.content_type, call.body});
//   PARTITA_TRY(const Asked asked, protocol->read(what));
//   ...
//   Answer answer = protocol->write(asked.operation, document, request_id);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "wire/document.h"

namespace partita::cloudwatch {

// A request, as HTTP has it.
struct Raw {
  std::string_view target;  // X-Amz-Target
  std::string_view path;
  std::string_view content_type;
  std::string_view body;
};

struct Answer {
  int status = 200;
  std::string_view content_type;  // static storage
  std::string headers;            // each with its CR LF
  std::string body;
};

struct Protocol {
  // The operation's name, served or not. Empty: the request has none.
  std::string (*operation)(const Raw& raw);
  // Faults: kMonitorCombination, kMalformedJson, kMalformedDocument, kMalformedForm, kFormTooLarge.
  Result<wire::Document> (*parameters)(const Raw& raw);
  Answer (*reply)(std::string_view operation, const wire::Document& document, std::string_view request_id);
  Answer (*refusal)(const Error& error, std::string_view request_id);
};

// Null: the request is none of CloudWatch.
const Protocol* protocol_of(const Raw& raw);

}  // namespace partita::cloudwatch
