// What a request is about, for those who write down requests.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ops/service.h"

namespace partita::observe {

// The tables, streams and other things that a request's body names outside of PartiQL's statements, in its order; of a
// call of IAM or STS users, groups, roles and policies. None of a body of more than `most` bytes, since to read it
// again holds up others.
inline constexpr size_t kMostReadAgain = size_t{64} << 10;
std::vector<std::string> resources_named(const ops::Call& call, size_t most = kMostReadAgain);

}  // namespace partita::observe
