// Small changes to a program of requests (service/world.h) that leave most of it sense: members are swapped, doubled,
// dropped and taken from elsewhere, values change their types, names become ARNs, expressions get another word.
#pragma once

#include <string>
#include <string_view>

#include "base/random.h"

namespace partita::fuzz {

// One change, or a few. What is longer than `max_size` comes back as it was.
std::string mutate_program(std::string_view program, Random& random, size_t max_size);

// Lines of the two, in their order, in turns.
std::string cross_programs(std::string_view a, std::string_view b, Random& random, size_t max_size);

}  // namespace partita::fuzz
