// Allowed values of request parameters, in the order in which AWS lists them in its messages.
#pragma once

#include <string_view>

namespace partita::wire {

inline constexpr std::string_view kCapacityWords[] = {"INDEXES", "TOTAL", "NONE"};
inline constexpr std::string_view kReturnValueWords[] = {"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"};
inline constexpr std::string_view kReturnOnFailureWords[] = {"ALL_OLD", "NONE"};
inline constexpr std::string_view kSelectWords[] = {"SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES",
                                                    "ALL_PROJECTED_ATTRIBUTES"};

}  // namespace partita::wire
