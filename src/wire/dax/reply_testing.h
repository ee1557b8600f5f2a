// What tests of replies need: tables, a store of attribute lists, and a reader that does with replies what clients do.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/reads.h"
#include "wire/dax/decode_testing.h"
#include "wire/dax/reply.h"

namespace partita::wire::dax {

// An item as text, to compare.
std::string item_text(const model::Item& item);

// "Tab1" has the partition key pk (S); "Tab2" also the sort key sk (N).
class TestTables : public TableSchemas {
 public:
  TestTables();
  const model::KeySchema* find(std::string_view table) override;
  std::map<std::string, model::KeySchema, std::less<>> schemas;
};

// What servers share: lists by their names.
class TestStore {
 public:
  explicit TestStore(uint64_t first_id = 257) : next_id_(first_id) {}
  model::AttributeListPtr store(const std::vector<std::string>& names);
  // Loads all that is missing, and adds it to `lists`.
  void load(MissingLists& missing, KnownLists& lists);
  const std::vector<std::string>& names_of(uint64_t id) const;

  size_t loads = 0;

 private:
  uint64_t next_id_;
  std::map<std::vector<std::string>, model::AttributeListPtr> by_names_;
  std::map<uint64_t, model::AttributeListPtr> by_id_;
};

// A server that encodes one reply after the other.
class ReplyTest {
 public:
  TestTables tables;
  TestStore store;
  KnownLists lists;
  Encoding encoding{tables, lists, {}};

  // Calls `encode`, which takes a CborWriter and returns a Result<void>, until no list is missing.
  template <class Encode>
  std::string whole(Encode encode) {
    for (;;) {
      CborWriter out(8);
      out.raw("before");
      const Result<void> done = encode(out);
      if (!done.ok()) return "error";
      if (encoding.missing.empty()) return std::string(out.view().substr(6));
      store.load(encoding.missing, lists);
    }
  }
  // The same of a class with next().
  template <class Encoder, class Request, class Reply>
  std::string in_pieces(const Request& request, const Reply& reply, size_t* pieces = nullptr) {
    CborWriter out(8);
    Encoder encoder(out, request, reply, encoding);
    for (;;) {
      const Result<Progress> progress = encoder.next();
      if (!progress.ok()) return "error";
      if (progress.value() == Progress::kDone) return std::string(out.view());
      if (progress.value() == Progress::kMissing) store.load(encoding.missing, lists);
      if (progress.value() == Progress::kMore && pieces != nullptr) ++*pieces;
    }
  }
};

struct ReadCapacity {
  std::string table;
  double units = 0;
  std::optional<double> read;   // of transactions
  std::optional<double> write;  // of transactions
  std::optional<double> base;
  std::map<std::string, double> global_indexes;
  std::map<std::string, double> local_indexes;
  std::string text() const;
};

// Reads replies as clients do. Failures are those of the test.
class ReplyReader {
 public:
  ReplyReader(std::string_view reply, TestTables& tables, const TestStore& store)
      : in_(reply), tables_(tables), store_(store) {}

  CborReader& in() { return in_; }
  void expect_success();
  // The next member of an outer map of indefinite length; nullopt at its end.
  std::optional<int64_t> next_key();

  // Values, with the key added. Nullopt: null.
  std::optional<model::Item> values(const model::Item& key);
  // [key, values]
  model::Item keyed_values(std::string_view table);
  model::Item updated();
  // By ordinals, which become names.
  model::Item projected();
  model::Item key(std::string_view table);
  model::Item compound_key();
  ReadCapacity capacity();
  ReadCapacity transaction_capacity();
  // "partition value: lower to upper"
  std::string collection();

  void expect_end();

 private:
  double shares(ReadCapacity* whole);

  CborReader in_;
  TestTables& tables_;
  const TestStore& store_;
};

}  // namespace partita::wire::dax
