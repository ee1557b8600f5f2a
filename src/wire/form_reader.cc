#include "wire/form_reader.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/hex.h"
#include "model/fault.h"

namespace partita::wire {

namespace {

using model::Fault;
using model::refuse;

// Nothing for a percent sign without two digits behind it, and for what is no UTF-8.
std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out.push_back(text[at] == '+' ? ' ' : text[at]);
      continue;
    }
    if (text.size() - at < 3) return std::nullopt;
    const auto high = hex_digit(text[at + 1]);
    const auto low = hex_digit(text[at + 2]);
    if (!high || !low) return std::nullopt;
    out.push_back(static_cast<char>(*high << 4 | *low));
    at += 2;
  }
  return is_utf8(out) ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

Result<Form> Form::parse(std::string_view body) {
  if (body.size() > kMaxFormBytes) return refuse(Fault::kFormTooLarge);
  Form form;
  while (!body.empty()) {
    const std::string_view part = body.substr(0, body.find('&'));
    body.remove_prefix(std::min(part.size() + 1, body.size()));
    if (part.empty()) continue;
    const size_t equals = std::min(part.find('='), part.size());
    auto name = decoded(part.substr(0, equals));
    auto value = decoded(part.substr(std::min(equals + 1, part.size())));
    if (!name || !value) return refuse(Fault::kMalformedForm);
    if (form.parameters_.size() == kMaxFormParameters) return refuse(Fault::kFormTooLarge);
    if (!form.parameters_.emplace(std::move(*name), std::move(*value)).second) return refuse(Fault::kMalformedForm);
  }
  return form;
}

std::optional<std::string_view> Form::find(std::string_view name) const {
  const auto found = parameters_.find(name);
  if (found == parameters_.end()) return std::nullopt;
  return std::string_view(found->second);
}

}  // namespace partita::wire
