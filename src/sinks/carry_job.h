// The job that carries a sink: JobKind::kCarry, one for each sink of the store.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sinks/kinesis_destination.h"
#include "sinks/sink_store.h"
#include "table/jobs/job_type.h"

namespace partita::sinks {

// `region`: of the ARNs that the other ends see.
std::unique_ptr<table::JobType> make_carry_job(FindDestination find, FindChangeDestination find_changes,
                                               std::string region = std::string(kUsualRegion));
// As DatabaseOptions::make_job. An empty region is the usual one.
std::function<std::unique_ptr<table::JobType>(table::JobKind)> job_maker(std::string region,
                                                                         KinesisDefaults kinesis = {});

}  // namespace partita::sinks
