#include "sinks/progress.h"

#include <algorithm>
#include <utility>

#include "model/item_codec.h"
#include "table/rows/field_visitor.h"

namespace partita::sinks {

namespace {

Error damaged_progress() { return Error(ErrorKind::kCorrupt, "the progress of a sink is damaged"); }

template <class Each, class Of>
void visit_fields(Each& each, Of& progress) {
  each("begun", progress.begun);
  each("conflicts", progress.conflicts);
  each("delivered", progress.delivered);
  each("dropped", progress.dropped);
  each("filling", progress.filling);
  each("generation", progress.generation);
  each("rejected", progress.rejected);
  each("retries", progress.retries);
  each("sent", progress.sent);
  each("sink", progress.sink);
  each("texts", progress.texts);
  each("tried_ms", progress.tried_ms);
  each("trouble", progress.trouble);
}

class ProgressWriter : public table::FieldWriter {
 public:
  using table::FieldWriter::operator();
  void operator()(std::string_view name, const SliceTexts& value) {
    if (std::ranges::all_of(value, &std::string::empty)) return;
    (*this)(name, std::vector<std::string>(value.begin(), value.end()));
  }
  void operator()(std::string_view name, const Positions& value) {
    std::string bytes;
    for (const storage::Position& one : value) bytes.append(one.bytes.begin(), one.bytes.end());
    set(name, model::AttributeValue::binary(std::move(bytes)));
  }
};

class ProgressReader : public table::FieldReader {
 public:
  using table::FieldReader::FieldReader;
  using table::FieldReader::operator();
  void operator()(std::string_view name, SliceTexts& value) {
    std::vector<std::string> texts;
    (*this)(name, texts);
    fields().require(texts.empty() || texts.size() == value.size());
    if (texts.size() == value.size()) std::ranges::move(texts, value.begin());
  }
  void operator()(std::string_view name, Positions& value) {
    const auto* const positions = fields().find(name, model::Type::kB);
    if (positions == nullptr) return;
    std::string_view bytes = positions->as_bytes();
    fields().require(bytes.size() == sizeof value);
    if (bytes.size() != sizeof value) return;
    for (storage::Position& one : value) {
      std::copy_n(bytes.begin(), one.bytes.size(), one.bytes.begin());
      bytes.remove_prefix(one.bytes.size());
    }
  }
};

}  // namespace

std::string encode(const Progress& progress) {
  ProgressWriter fields;
  visit_fields(fields, progress);
  return model::encode_item(fields.item());
}

Result<Progress> progress_from(std::string_view text) {
  Progress progress;
  if (text.empty()) return progress;
  PARTITA_TRY(const model::Item item, model::decode_item(text));
  ProgressReader fields(item);
  visit_fields(fields, progress);
  if (!fields.sound()) return damaged_progress();
  return progress;
}

}  // namespace partita::sinks
