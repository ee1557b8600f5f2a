// What a request is about, for those who write down requests.
#pragma once

#include <string>
#include <vector>

#include "ops/service.h"

namespace partita::app {

// The tables, streams and other things that a request's body names outside of PartiQL's statements, in its order; of a
// call of IAM or STS users, groups, roles and policies. None of a body of more than 64 KiB, since to read it again
// would hold up others.
std::vector<std::string> resources_named(const ops::Call& call);

}  // namespace partita::app
