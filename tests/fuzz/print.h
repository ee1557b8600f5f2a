// Parsed expressions as text again, with placeholders for all names and values: parsing that text must give the same.
#pragma once

#include <string>

#include "expr/condition.h"
#include "expr/placeholders.h"
#include "expr/projection.h"
#include "expr/update.h"
#include "model/value.h"

namespace partita::fuzz {

struct Printed {
  std::string text;
  expr::Placeholders::Names names;
  model::AttributeMap values;

  bool operator==(const Printed&) const = default;
  // False when the placeholders made it longer than an expression may be.
  bool fits() const;
  expr::Placeholders given() const;
};

Printed print(const expr::Condition& condition);
Printed print(const expr::Update& update);
Printed print(const expr::Projection& projection);

}  // namespace partita::fuzz
