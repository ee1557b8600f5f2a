// DAX's requests, preambles and expressions. The first byte says which. However the bytes of a request arrive, the
// scanner finds the same end; what a decoder makes is sound; an expression that is read is one that its text gives too.
#include <algorithm>
#include <string>
#include <string_view>

#include "expression.h"
#include "input.h"
#include "model/attribute_list.h"
#include "model/item_codec.h"
#include "print.h"
#include "wire/dax/expression.h"
#include "wire/dax/request.h"
#include "wire/dax/scanner.h"

namespace partita::fuzz {
namespace {

using expr::ExpressionKind;
using model::Type;
using wire::CborReader;
using wire::dax::Decoding;
using wire::dax::Method;
using wire::dax::RequestScanner;
using wire::dax::ScanStatus;

constexpr size_t kMaxRequestBytes = size_t{1} << 20;

class Tables : public wire::dax::TableSchemas {
 public:
  const model::KeySchema* find(std::string_view table) override {
    if (table == "s") return &text_;
    if (table == "n") return &number_;
    return table == "b" ? &pair_ : nullptr;
  }

 private:
  model::KeySchema text_{{{"pk", Type::kS}}, {}};
  model::KeySchema number_{{{"pk", Type::kN}}, {{"sk", Type::kB}}};
  model::KeySchema pair_{{{"pk", Type::kB}}, {{"sk", Type::kN}}};
};

// Whole, and byte by byte.
RequestScanner scan(std::string_view bytes, RequestScanner::Kind kind) {
  RequestScanner whole(kind, kMaxRequestBytes);
  const ScanStatus status = whole.scan(bytes);
  RequestScanner pieces(kind, kMaxRequestBytes);
  ScanStatus at_last = ScanStatus::kMore;
  for (size_t size = 0; size <= bytes.size() && at_last == ScanStatus::kMore; ++size) {
    at_last = pieces.scan(bytes.substr(0, size));
    if (at_last == ScanStatus::kComplete) PARTITA_CHECK(pieces.size() == size);
  }
  PARTITA_CHECK(at_last == status && (status != ScanStatus::kComplete || pieces.size() == whole.size()));
  if (status == ScanStatus::kMore) PARTITA_CHECK(whole.size() > bytes.size() || whole.size() == pieces.size());
  return whole;
}

void check_action(const api::WriteAction& action) {
  if (action.kind == api::WriteAction::Kind::kPut) {
    const auto item = model::decode_item(action.item);
    PARTITA_CHECK(item.ok() && model::encode_item(*item) == action.item);
    check_item_is_sound(*item);
  }
  check_item_is_sound(action.key);
  if (action.condition) (void)expr::evaluate(*action.condition, action.key);
}

void check_result(const api::GetRequest& request) {
  check_item_is_sound(request.key);
  if (request.projection) (void)expr::project(*request.projection, request.key);
}
void check_result(const api::WriteRequest& request) { check_action(request.action); }
void check_result(const api::RangeRequest& request) {
  if (request.start) check_item_is_sound(*request.start);
  PARTITA_CHECK(request.segment.index < request.segment.total && request.limit != 0u);
}
void check_result(const api::BatchGetRequest& request) {
  for (const auto& part : request.parts) PARTITA_CHECK(!part.keys.empty() && part.keys.size() <= 100);
}
void check_result(const api::BatchWriteRequest& request) {
  for (const auto& part : request.parts) {
    for (const auto& action : part.actions) check_action(action);
  }
}
void check_result(const api::TransactGetRequest& request) { PARTITA_CHECK(!request.parts.empty()); }
void check_result(const api::TransactWriteRequest& request) {
  PARTITA_CHECK(request.token.empty() == request.digest.empty());
  for (const auto& part : request.parts) check_action(part.action);
}

template <class Request>
void check_decoder(Result<Request> (*decode)(CborReader&, Decoding&), std::string_view arguments) {
  Tables tables;
  wire::dax::KnownLists lists;
  lists.add(model::make_attribute_list(2, {"a", "x"}));
  lists.add(model::make_attribute_list(3, {"x", "a"}));
  lists.add(model::make_attribute_list(4, {"pk", "sk"}));
  Decoding decoding{tables, lists, {}};
  CborReader in(arguments);
  const auto decoded = decode(in, decoding);
  if (!decoded.ok()) {
    refusal(decoded.error());
  } else if (decoding.missing.empty()) {
    check_result(*decoded);
  }
}

void check_request(std::string_view bytes) {
  const RequestScanner scanner = scan(bytes, RequestScanner::Kind::kRequest);
  const bool known = wire::dax::argument_count(static_cast<int32_t>(scanner.method())) >= 0;
  if (!known) return;
  // Also what the scanner has refused: a decoder relies on nothing.
  const std::string_view arguments = bytes.substr(std::min(scanner.arguments_at(), bytes.size()));
  switch (scanner.method()) {
    case Method::kGetItem:
      return check_decoder(wire::dax::decode_get, arguments);
    case Method::kPutItem:
      return check_decoder(wire::dax::decode_put, arguments);
    case Method::kUpdateItem:
      return check_decoder(wire::dax::decode_update, arguments);
    case Method::kDeleteItem:
      return check_decoder(wire::dax::decode_delete, arguments);
    case Method::kQuery:
      return check_decoder(wire::dax::decode_query, arguments);
    case Method::kScan:
      return check_decoder(wire::dax::decode_scan, arguments);
    case Method::kBatchGetItem:
      return check_decoder(wire::dax::decode_batch_get, arguments);
    case Method::kBatchWriteItem:
      return check_decoder(wire::dax::decode_batch_write, arguments);
    case Method::kTransactGetItems:
      return check_decoder(wire::dax::decode_transact_get, arguments);
    case Method::kTransactWriteItems:
      return check_decoder(wire::dax::decode_transact_write, arguments);
    default:
      return;
  }
}

void check_preamble(std::string_view bytes) {
  const RequestScanner scanner = scan(bytes, RequestScanner::Kind::kPreamble);
  const auto preamble = wire::dax::read_preamble(bytes.substr(0, scanner.size()));
  if (!preamble.ok()) refusal(preamble.error());
}

// `parse` reads a text as `expression` was read.
template <class Parsed, class Parse>
void check_expression(const Result<Parsed>& expression, Parse parse) {
  if (!expression.ok()) {
    refusal(expression.error());
    return;
  }
  const Printed printed = print(*expression);
  if (!printed.fits()) return;
  expr::Placeholders given = printed.given();
  const Result<Parsed> again = parse(printed.text, given);
  PARTITA_CHECK(again.ok() && print(*again) == printed);
}

void check_condition(std::string_view bytes) {
  check_expression(wire::dax::read_condition(bytes, ExpressionKind::kFilter), [](auto text, auto& given) {
    return expr::parse_condition(text, ExpressionKind::kFilter, given);
  });
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  partita::fuzz::Input in(data, size);
  switch (in.choice(5)) {
    case 0:
      partita::fuzz::check_preamble(in.rest());
      break;
    case 1:
      partita::fuzz::check_request(in.rest());
      break;
    case 2:
      partita::fuzz::check_condition(in.rest());
      break;
    case 3:
      partita::fuzz::check_expression(partita::wire::dax::read_update(in.rest()), partita::expr::parse_update);
      break;
    default:
      partita::fuzz::check_expression(partita::wire::dax::read_projection(in.rest()),
                                      partita::expr::parse_projection);
  }
  return 0;
}
