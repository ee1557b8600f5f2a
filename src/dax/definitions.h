// The calls by which clients learn what items are coded with: the key schema of a table, and attribute lists with their
// ids. What they need permission for: docs/decisions/040-rights-of-dax-definitions.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/attribute_list.h"
#include "ops/admission.h"
#include "ops/call_codec.h"
#include "table/rows/schema.h"
#include "wire/cbor.h"
#include "wire/dax/scanner.h"

namespace partita::dax {

// Of one call.
class DefinitionCodec final : public ops::CallCodec {
 public:
  // `method`: one of the three. `arguments`: of the request. Both, and `out`, outlive it.
  DefinitionCodec(wire::dax::Method method, std::string_view arguments, wire::CborWriter& out)
      : method_(method), arguments_(arguments), out_(out) {}

  // One that stands for these calls, which are none of DynamoDB's.
  const ops::Operation& operation() const override;
  // Faults: kDaxMalformed, kDaxUnknownList, those of table::AttributeLists::store(), of a table that is not there, and
  // the refusals of policies.
  Result<ops::CodecStep> decode(const ops::Context& context) override;
  ops::Execution& execution() override { return nothing_; }
  Result<ops::CodecStep> encode(const ops::Context& context) override;
  Task<Result<void>> fetch(const ops::Context& context) override;

 private:
  class Nothing final : public ops::Execution {
   public:
    Task<Result<void>> run(const ops::Context&) override { co_return Result<void>(); }
    void visit_names(ops::VisitName) override {}
  };

  Result<ops::CodecStep> define_schema(const ops::Context& context);
  Result<void> check_rights(const ops::Context& context, std::string_view name, const table::TableInfo* table);
  Result<std::vector<std::string>> read_names() const;

  const wire::dax::Method method_;
  const std::string_view arguments_;
  wire::CborWriter& out_;
  Nothing nothing_;
  model::AttributeListPtr list_;  // once it is fetched
  std::optional<Error> stale_;    // the table may be known after a look into the store
  std::optional<Error> absent_;   // it is not there either
  std::optional<ops::RequestAuthorizer> authorizer_;
  std::optional<Error> unloaded_;  // the policies of the table must be loaded
};

}  // namespace partita::dax
