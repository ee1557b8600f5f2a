"""What a shard of a stream holds, from a place on."""


def records_of(streams, stream, shard, **where):
    """All of it, read until there is no more; `where` as GetShardIterator takes it, else from the oldest on."""
    where = where or {"ShardIteratorType": "TRIM_HORIZON"}
    at = streams.get_shard_iterator(StreamArn=stream, ShardId=shard, **where)["ShardIterator"]
    records = []
    while at:
        page = streams.get_records(ShardIterator=at)
        records += page["Records"]
        at = page.get("NextShardIterator") if page["Records"] else None
    return records
