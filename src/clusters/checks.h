// Checks of the members of requests that need no store. Pure functions. Fault of all unless said otherwise:
// kClusterValue, with the member's name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/clusters.h"
#include "base/result.h"

namespace partita::clusters {

// 1 to 20 letters, digits and hyphens; the first is a letter, none of two hyphens follows the other or ends the name.
Result<void> check_cluster_name(std::string_view name);
// 1 to 255 letters, digits, '-', '_' and '.'; the first is a letter.
Result<void> check_group_name(std::string_view member, std::string_view name);
// "dax.FAMILY.SIZE".
Result<void> check_node_type(std::string_view type);
// "ddd:hh:mm-ddd:hh:mm", of an hour or more.
Result<void> check_window(std::string_view window);
// "arn:aws:iam::ACCOUNT:role/NAME", also of another partition.
Result<void> check_role(std::string_view arn);
// "arn:aws:sns:REGION:ACCOUNT:NAME".
Result<void> check_topic(std::string_view arn);
Result<void> check_security_groups(const std::vector<std::string>& ids);
// Zones of the region: "us-east-1a".
Result<void> check_zones(const std::vector<std::string>& zones, std::string_view region);
// At most 255 characters.
Result<void> check_description(const std::optional<std::string>& description);
// Keys of 1 to 128 characters, each once, none that begins with "aws:"; values of up to 256.
Result<void> check_tags(const std::vector<api::Tag>& tags);
// Faults: kSubnetInvalid, kSubnetQuota.
Result<void> check_subnets(const std::vector<std::string>& ids);

// The largest MaxResults, which is also what is returned without one.
inline constexpr int64_t kMostResults = 100;
// 20 to 100.
Result<void> check_page(const api::PageRequest& page);

}  // namespace partita::clusters
