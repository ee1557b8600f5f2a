#include "admin/admin.h"

namespace partita::admin {

const Admin::Answer* Admin::find(const ops::Call& call) const {
  if (call.source == nullptr || !call.source->administrates() || !call.target.starts_with(kAdminPrefix)) return nullptr;
  const auto found = answers_.find(call.target.substr(kAdminPrefix.size()));
  return found == answers_.end() ? nullptr : &found->second;
}

}  // namespace partita::admin
