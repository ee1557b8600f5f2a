// An access of a request, as the conditions of policies see it.
#pragma once

#include <array>
#include <forward_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "auth/condition_key.h"
#include "iam/calls.h"
#include "ops/operation.h"
#include "ops/policy_snapshot.h"
#include "table/catalog/access.h"

namespace partita::ops {

// For as long as `access` lives. What nobody asks for is never looked at.
class AccessConditionContext final : public auth::ConditionContext {
 public:
  // `owner`: the table that is accessed, or that the index or the stream is of; null when there is none.
  AccessConditionContext(const Context& context, const table::Access& access, const table::TableInfo* owner,
                         const CheckOptions& check_options)
      : ConditionContext(check_options.effort, check_options.of_name),
        context_(context),
        access_(access),
        owner_(owner),
        capacity_(check_options.capacity) {}

  std::optional<std::span<const std::string_view>> values(const auth::KeyName& name) override;

  // Whether anything was asked for that may be another for the next access to the same table by the same request.
  bool depends_on_item() const { return depends_on_item_; }

 private:
  using Values = std::optional<std::span<const std::string_view>>;

  // A value that the object holds from now on: what was answered before stays as it is.
  Values one(auth::ConditionKey key, std::string_view value);
  Values of_caller(auth::ConditionKey key);
  Values of_moment(auth::ConditionKey key);
  Values of_items(auth::ConditionKey key);
  Values partition_key(auth::ConditionKey key, size_t part);
  Values attributes();
  Values tag_keys();
  Values tag(const auth::KeyName& name);
  std::string_view header(std::string_view lower_name) const;  // of the request; empty when absent

  const Context& context_;
  const table::Access& access_;
  const table::TableInfo* owner_;
  const api::CapacityDetail capacity_;
  bool depends_on_item_ = false;
  std::array<std::string_view, auth::kConditionKeys> ones_;
  std::forward_list<std::string_view> tags_;
  std::string time_;
  std::string issued_;
  std::string epoch_;
  std::string source_;
  std::forward_list<std::string> key_texts_;  // of those that are no strings
  std::vector<std::string> names_;
  std::vector<std::string_view> name_views_;
  std::vector<std::string_view> tag_views_;
};

// A call of IAM or STS, as the conditions of policies see it. For as long as `subject` lives.
class SubjectConditionContext final : public auth::ConditionContext {
 public:
  SubjectConditionContext(const Context& context, const iam::Subject& subject)
      : subject_(subject), caller_(context, access_, nullptr, {api::CapacityDetail::kNone, policies_, effort()}) {}

  std::optional<std::span<const std::string_view>> values(const auth::KeyName& name) override;

 private:
  std::optional<std::span<const std::string_view>> one(std::optional<std::string_view> value);

  const iam::Subject& subject_;
  const table::Access access_;
  const PolicySnapshot policies_;
  AccessConditionContext caller_;
  std::forward_list<std::string_view> ones_;
};

}  // namespace partita::ops
