// The calls of DAX's control API on parameter groups and subnet groups. Errors of all beside their faults:
// kClusterValue, kClusterBusy, those of the engine, kCorrupt.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "api/clusters.h"
#include "base/result.h"
#include "base/task.h"
#include "clusters/cluster.h"
#include "clusters/page.h"
#include "table/catalog/table_context.h"

namespace partita::clusters {

// Faults: kParameterGroupExists, kParameterGroupQuota.
Task<Result<ParameterGroup>> create_parameter_group(table::TableContext& context,
                                                    const api::ParameterGroupRequest& request);
// Takes effect at once. The default group cannot be changed or deleted. Faults: kParameterGroupNotFound,
// kParameterGroupState.
Task<Result<ParameterGroup>> update_parameter_group(table::TableContext& context,
                                                    const api::ParameterGroupRequest& request);
// Faults: kParameterGroupNotFound, kParameterGroupState, also of one that the cluster uses.
Task<Result<void>> delete_parameter_group(table::TableContext& context, const std::string& name);
// Fault: kParameterGroupNotFound.
Task<Result<PageOf<ParameterGroup>>> list_parameter_groups(table::TableContext& context,
                                                           const api::NamedPageRequest& request);

struct Parameter {
  std::string name;
  std::string_view description;
  int64_t value = 0;
};
// Fault: kParameterGroupNotFound.
Task<Result<PageOf<Parameter>>> list_parameters(table::TableContext& context, const api::ParametersRequest& request);

// Faults: kSubnetGroupExists, kSubnetGroupQuota, kSubnetInvalid, kSubnetQuota.
Task<Result<SubnetGroup>> create_subnet_group(table::TableContext& context, const api::SubnetGroupRequest& request);
// Faults: kSubnetGroupNotFound, kSubnetInvalid, kSubnetQuota, kSubnetInUse.
Task<Result<SubnetGroup>> update_subnet_group(table::TableContext& context, const api::SubnetGroupRequest& request);
// Faults: kSubnetGroupNotFound, kSubnetGroupInUse.
Task<Result<void>> delete_subnet_group(table::TableContext& context, const std::string& name);
// Fault: kSubnetGroupNotFound.
Task<Result<PageOf<SubnetGroup>>> list_subnet_groups(table::TableContext& context,
                                                     const api::NamedPageRequest& request);

}  // namespace partita::clusters
