"""Streams and PartiQL beside the calls that do the same without them: what the way costs."""

import json
import statistics

import page
import servers
import signing
import workload

CONNECTIONS = 16
FOLLOWED = 1_000  # items of 1 KiB in one collection, each with its record
STREAMS = "DynamoDBStreams_20120810."
MOST_FOR_RECORDS = 3  # times a Query of as many bytes


def statement(text, *parameters):
    return workload.request("ExecuteStatement", Statement=text, Parameters=list(parameters))


def select_one(n):
    return statement('SELECT * FROM "bench" WHERE id = ?', {"S": f"user-{n:08}"})


def select_collection(n):
    return statement('SELECT * FROM "bench-orders" WHERE "order" = ?', {"S": f"order-{n % workload.COLLECTIONS:06}"})


def update_native(n, version):
    return workload.request(
        "UpdateItem", TableName="bench", Key={"id": {"S": f"user-{n:08}"}}, UpdateExpression="SET visits = :v",
        ExpressionAttributeValues={":v": {"N": str(n + version)}},
    )


def update_statement(n, version):
    return statement('UPDATE "bench" SET visits = ? WHERE id = ?', {"N": str(n + version)}, {"S": f"user-{n:08}"})


def put_streamed(n, version):
    return workload.put_item(n, "bench-streamed", version)


def query_followed():
    return workload.request(
        "Query", TableName="bench-followed", KeyConditionExpression="#o = :o",
        ExpressionAttributeNames={"#o": "order"}, ExpressionAttributeValues={":o": {"S": "order-000000"}},
    )


def tables():
    def stream(view):
        return {"StreamEnabled": True, "StreamViewType": view}

    return [
        *workload.create_tables(),
        workload.create_table("bench-streamed", "id", StreamSpecification=stream("NEW_AND_OLD_IMAGES")),
        workload.create_table("bench-followed", "order", "line", StreamSpecification=stream("NEW_IMAGE")),
    ]


def fill():
    yield from workload.fill_requests()
    for start in range(0, FOLLOWED, 25):
        lines = (workload.line(0, n) for n in range(start, start + 25))
        yield workload.put_many("bench-followed", lines)


def body_of(server, operation, **body):
    return json.loads(servers.exchange(server.port, operation, body).partition(b"\r\n\r\n")[2])


def get_records(server):
    """The request for what the one shard holds that has records."""
    arn = body_of(server, "DescribeTable", TableName="bench-followed")["Table"]["LatestStreamArn"]
    shards = body_of(server, STREAMS + "DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"]
    for shard in shards:
        where = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = body_of(server, STREAMS + "GetShardIterator", **where)["ShardIterator"]
        if body_of(server, STREAMS + "GetRecords", ShardIterator=iterator, Limit=1)["Records"]:
            return workload.request(STREAMS + "GetRecords", ShardIterator=iterator)
    raise RuntimeError("no shard of the followed table has records")


def pairs(server):
    """[(what, its requests, beside what, its requests)]"""
    turn, twice = workload.in_turn, workload.twice_in_turn
    return [
        ("SELECT of one item", turn(select_one), "GetItem", turn(workload.get_item)),
        ("SELECT of 50 items of 1 KiB", turn(select_collection, workload.COLLECTIONS),
         "Query", turn(workload.query, workload.COLLECTIONS)),
        ("UPDATE of one item, durable", twice(update_statement), "UpdateItem", twice(update_native)),
        ("PutItem with a stream of both images, durable", twice(put_streamed),
         "PutItem", twice(lambda n, version: workload.put_item(n, version=version))),
        ("GetRecords, 1 MB of new images", [get_records(server)], "Query of as much", [query_followed()]),
    ]


def measure(build, scratch, rounds, seconds):
    """[(what, beside what, [(its result, the other's) per round])]"""
    with servers.partita(build, scratch / "data-api") as server:
        servers.fill(build, server, tables(), connections=1)
        servers.wait_until_active(server, (*workload.TABLES, "bench-streamed", "bench-followed"))
        servers.fill(build, server, fill())
        chosen = [(what, signing.signed(one), other, signing.signed(two)) for what, one, other, two in pairs(server)]
        found = [(what, other, []) for what, _, other, _ in chosen]
        for n in range(rounds):
            servers.say(f"round {n + 1} of {rounds}")
            for (_, one, _, two), (_, _, results) in zip(chosen, found):
                both = [
                    servers.load(build, server, requests, connections=CONNECTIONS, seconds=seconds)
                    for requests in (one, two)
                ]
                results.append(both)
        return found


def part(build, scratch, arguments):
    rows, costs, budgets = [], [], []
    for what, other, results in measure(build, scratch, arguments.rounds, arguments.seconds):
        def of(which, field, results=results):
            return statistics.median(both[which][field] for both in results)

        budget = f"≤ {MOST_FOR_RECORDS}" if what.startswith("GetRecords") else "–"
        if budget == "–":
            costs.append(page.cost(what, of(0, "cpu_us"), other, of(1, "cpu_us")))
        else:
            ratio = of(0, "cpu_us") / of(1, "cpu_us")
            budgets.append([f"{what}: CPU ÷ {other}", f"{ratio:.2f}", budget])
        rows.append([
            what, f"{of(0, 'per_second'):,.0f}", f"{of(0, 'p99_us'):,.0f}", f"{of(0, 'cpu_us'):.1f}",
            f"{other}: {of(1, 'cpu_us'):.1f}", f"{of(0, 'cpu_us') / of(1, 'cpu_us'):.2f}", budget,
        ])
    text = [
        page.provenance(
            f"medians of {arguments.rounds} interleaved rounds of {arguments.seconds:g} s, {CONNECTIONS} connections. The "
            "server has one core and the client another."
        ),
        page.table(
            ["", "requests/s", "p99 µs", "CPU µs/request", "beside it, CPU µs", "ratio", "budget"], rows
        ),
    ]
    return page.Measured("\n\n".join(text), budgets=budgets, costs=costs)
