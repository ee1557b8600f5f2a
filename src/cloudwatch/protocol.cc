#include "cloudwatch/protocol.h"

#include <algorithm>
#include <array>

#include "auth/authenticate.h"
#include "model/fault.h"
#include "wire/error_body.h"
#include "wire/form_reader.h"
#include "wire/xml_writer.h"

namespace partita::cloudwatch {

namespace {

using wire::Document;

constexpr std::string_view kTargetPrefix = "GraniteServiceVersion20100801.";
constexpr std::string_view kPathPrefix = "/service/GraniteServiceVersion20100801/operation/";
constexpr std::string_view kFormVersion = "Version=2010-08-01";
constexpr size_t kMostBody = size_t{1} << 20;  // as in AWS: "CloudWatch service quotas", of a POST
constexpr std::string_view kXmlSpace = "http://monitoring.amazonaws.com/doc/2010-08-01/";
constexpr std::string_view kJsonType = "application/x-amz-json-1.0";
constexpr std::string_view kCborType = "application/cbor";
constexpr std::string_view kXmlType = "text/xml";
constexpr std::string_view kCborHeader = "smithy-protocol: rpc-v2-cbor\r\n";

// Replies without members that have a result all the same, which botocore looks for.
constexpr std::array<std::string_view, 2> kEmptyResults = {"TagResource", "UntagResource"};

// The members of an error, in either spelling: some SDKs read "message" only, others "Message".
Document document_of(const wire::ErrorText& error) {
  return Document::Map{{"__type", error.type}, {"message", error.message}, {"Message", error.message}};
}

// The code of the query protocol, which newer SDKs take instead of the type.
std::string query_error(const wire::ErrorText& error) {
  std::string header = "x-amzn-query-error: ";
  return header.append(error.code).append(error.status < 500 ? ";Sender\r\n" : ";Receiver\r\n");
}

Result<void> check_size(const Raw& raw) {
  if (raw.body.size() <= kMostBody) return {};
  return model::refuse(model::Fault::kMonitorCombination,
                       {"The body of the request must have at most " + std::to_string(kMostBody) + " bytes."});
}

Result<Document> json_parameters(const Raw& raw) {
  PARTITA_TRY_VOID(check_size(raw));
  return wire::read_json(raw.body);
}
Answer json_reply(std::string_view, const Document& document, std::string_view) {
  return {200, kJsonType, {}, write_json(document)};
}
Answer json_refusal(const Error& error, std::string_view) {
  const wire::ErrorText text = wire::error_text(error);
  return {text.json_status, kJsonType, query_error(text), write_json(document_of(text))};
}

Result<Document> cbor_parameters(const Raw& raw) {
  PARTITA_TRY_VOID(check_size(raw));
  return wire::read_cbor(raw.body);
}
Answer cbor_reply(std::string_view, const Document& document, std::string_view) {
  return {200, kCborType, std::string(kCborHeader), write_cbor(document)};
}
Answer cbor_refusal(const Error& error, std::string_view) {
  const wire::ErrorText text = wire::error_text(error);
  return {text.json_status, kCborType, std::string(kCborHeader) + query_error(text), write_cbor(document_of(text))};
}

std::string form_operation(const Raw& raw) {
  const auto form = wire::Form::parse(raw.body);
  return form.ok() ? std::string(form->find("Action").value_or("")) : std::string();
}
Result<Document> form_parameters(const Raw& raw) {
  PARTITA_TRY(const wire::Form form, wire::Form::parse(raw.body));
  return read_form(form);
}
Answer form_reply(std::string_view operation, const Document& document, std::string_view request_id) {
  const std::string response = std::string(operation) + "Response";
  const std::string result = std::string(operation) + "Result";
  const Document::Map* const members = document.as<Document::Map>();
  const bool has_members = members != nullptr && !members->empty();
  wire::XmlWriter xml;
  xml.begin(response, kXmlSpace);
  if (has_members || std::ranges::find(kEmptyResults, operation) != kEmptyResults.end()) {
    xml.begin(result);
    write_xml(xml, document);
    xml.end();
  }
  xml.begin("ResponseMetadata");
  xml.text("RequestId", request_id);
  xml.end();
  xml.end();
  return {200, kXmlType, {}, std::move(xml).take()};
}
Answer form_refusal(const Error& error, std::string_view request_id) {
  wire::ErrorReply rendered = wire::render_query(error, kXmlSpace, request_id);
  return {rendered.status, kXmlType, {}, std::move(rendered.body)};
}

constexpr Protocol kJson = {[](const Raw& raw) { return std::string(raw.target.substr(kTargetPrefix.size())); },
                            json_parameters, json_reply, json_refusal};
constexpr Protocol kCbor = {[](const Raw& raw) { return std::string(raw.path.substr(kPathPrefix.size())); },
                            cbor_parameters, cbor_reply, cbor_refusal};
constexpr Protocol kQuery = {form_operation, form_parameters, form_reply, form_refusal};

bool has_version(std::string_view body) {
  return body.starts_with(kFormVersion) || body.contains("&" + std::string(kFormVersion));
}

}  // namespace

const Protocol* protocol_of(const Raw& raw) {
  if (!raw.target.empty()) return raw.target.starts_with(kTargetPrefix) ? &kJson : nullptr;
  if (raw.path.starts_with(kPathPrefix)) return &kCbor;
  return auth::is_form(raw.content_type) && has_version(raw.body) ? &kQuery : nullptr;
}

}  // namespace partita::cloudwatch
