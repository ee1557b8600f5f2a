// The values of condition keys: what the conditions of policies see of a request. For one thread.
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

// The condition keys of an access. Values are computed when they are requested. The context and the access outlive it.
class AccessConditionContext final : public auth::ConditionContext {
 public:
  // `owner`: the accessed table, or the table of the accessed index or stream; null: there is none.
  AccessConditionContext(const Context& context, const table::Access& access, const table::TableInfo* owner,
                         const CheckOptions& check_options)
      : ConditionContext(check_options.effort, check_options.of_name),
        context_(context),
        access_(access),
        owner_(owner),
        capacity_(check_options.capacity) {}

  std::optional<std::span<const std::string_view>> values(const auth::KeyName& name) override;

  // Whether a value was requested that may differ in the request's next access to the same table.
  bool depends_on_item() const { return depends_on_item_; }

 private:
  using Values = std::optional<std::span<const std::string_view>>;

  // Keeps a value in the object. Spans returned before stay valid.
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
  std::forward_list<std::string> key_texts_;  // of keys that are not strings
  std::vector<std::string> names_;
  std::vector<std::string_view> name_views_;
  std::vector<std::string_view> tag_views_;
};

// The condition keys of a call of IAM or STS. The context and the subject outlive it.
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
