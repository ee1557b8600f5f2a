// The handlers, one file each: put_item is in put_item.cc, and so on.
#pragma once

#include "ops/operation.h"

namespace partita::ops {

#define PARTITA_HANDLER(name) Task<Result<std::string>> name(const Context& context, wire::JsonDocument document)
PARTITA_HANDLER(batch_execute_statement);
PARTITA_HANDLER(batch_get_item);
PARTITA_HANDLER(batch_write_item);
PARTITA_HANDLER(create_table);
PARTITA_HANDLER(delete_item);
PARTITA_HANDLER(delete_resource_policy);
PARTITA_HANDLER(delete_table);
PARTITA_HANDLER(describe_continuous_backups);
PARTITA_HANDLER(describe_contributor_insights);
PARTITA_HANDLER(describe_endpoints);
PARTITA_HANDLER(describe_limits);
PARTITA_HANDLER(describe_stream);
PARTITA_HANDLER(describe_table);
PARTITA_HANDLER(describe_time_to_live);
PARTITA_HANDLER(execute_statement);
PARTITA_HANDLER(execute_transaction);
PARTITA_HANDLER(get_item);
PARTITA_HANDLER(get_records);
PARTITA_HANDLER(get_resource_policy);
PARTITA_HANDLER(get_shard_iterator);
PARTITA_HANDLER(list_contributor_insights);
PARTITA_HANDLER(list_streams);
PARTITA_HANDLER(list_tables);
PARTITA_HANDLER(list_tags_of_resource);
PARTITA_HANDLER(put_item);
PARTITA_HANDLER(put_resource_policy);
PARTITA_HANDLER(query);
PARTITA_HANDLER(scan);
PARTITA_HANDLER(search_vectors);
PARTITA_HANDLER(tag_resource);
PARTITA_HANDLER(transact_get_items);
PARTITA_HANDLER(transact_write_items);
PARTITA_HANDLER(untag_resource);
PARTITA_HANDLER(update_contributor_insights);
PARTITA_HANDLER(update_item);
PARTITA_HANDLER(update_table);
PARTITA_HANDLER(update_time_to_live);
#undef PARTITA_HANDLER

}  // namespace partita::ops
