// The job that carries a sink: JobKind::kCarry, one for each sink of the store.
#pragma once

#include <memory>

#include "sinks/sink_store.h"
#include "table/jobs/job_type.h"

namespace partita::sinks {

std::unique_ptr<table::JobType> make_carry_job(FindDestination find = find_destination);
// As DatabaseOptions::make_job.
std::unique_ptr<table::JobType> make_job(table::JobKind kind);

}  // namespace partita::sinks
