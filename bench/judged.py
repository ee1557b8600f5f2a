"""What authentication and authorisation cost: GetItem with its signature unverified, verified, and with a policy of
twenty statements evaluated too."""

import json
import statistics

import page
import servers
import signing
import workload

CONNECTIONS = 64
BUDGET = 1.5
WORD, VERIFIED, JUDGED = "signature not verified", "signature verified", "verified, and a policy of 20 statements"
RAW = "raw loop"


def twenty_statements():
    """Identities: the user who has the keys of signing.py, and a policy whose last statement allows what is measured."""
    own = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["user-*", "order-*", "counter"]}}
    arn = f"arn:aws:dynamodb:{signing.REGION}:123456789012:table/"
    others = [
        {"Effect": "Allow", "Action": ["dynamodb:GetItem", "dynamodb:Query"], "Resource": f"{arn}other{n}", "Condition": own}
        for n in range(16)
    ]
    listing = {"Effect": "Allow", "Action": "dynamodb:ListTables", "Resource": "*"}
    denials = [
        {"Effect": "Deny", "Action": "dynamodb:*", "Resource": "*",
         "Condition": {"NotIpAddress": {"aws:SourceIp": "127.0.0.0/8"}}},
        {"Effect": "Deny", "Action": "dynamodb:DeleteTable", "Resource": "*"},
    ]
    allowed = {"Effect": "Allow", "Action": "dynamodb:*", "Resource": f"{arn}*", "Condition": own}
    document = {"Version": "2012-10-17", "Statement": [*others, listing, *denials, allowed]}
    policies = [{"PolicyName": "p", "PolicyDocument": document}]
    return {"UserDetailList": [{"UserName": "local", "UserPolicyList": policies}]}


def files_of(folder):
    """(the options that verify, the options that also judge), with their files in that folder."""
    keys, users = folder / "credentials", folder / "users.json"
    keys.write_text(f"[local]\naws_access_key_id = {signing.ACCESS_KEY}\naws_secret_access_key = {signing.SECRET_KEY}\n")
    users.write_text(json.dumps(twenty_statements()))
    return ["--credentials", keys], ["--credentials", keys, "--identities", users]


def fill(build, server):
    for requests in (workload.create_tables(), workload.fill_requests()):
        servers.fill(build, server, signing.signed(requests), connections=1)
        servers.wait_until_active(server, workload.TABLES)


def part(build, scratch, arguments):
    verify, judge = files_of(scratch)
    found = {}
    with (
        servers.partita(build, scratch / "word") as word,
        servers.partita(build, scratch / "verified", options=verify) as verified,
        servers.partita(build, scratch / "judged", options=judge) as judged,
    ):
        measured = {WORD: word, VERIFIED: verified, JUDGED: judged}
        for server in measured.values():
            fill(build, server)
        wanted = workload.in_turn(workload.get_item)
        size = servers.load(build, word, signing.signed(wanted), seconds=0.2)["reply_bytes"]
        with servers.raw_loop(build, size) as raw:
            for n in range(arguments.rounds):
                servers.say(f"round {n + 1} of {arguments.rounds}")
                for what, server in {RAW: raw, **measured}.items():
                    requests = signing.signed(wanted)  # anew, since a signature lasts five minutes
                    result = servers.load(build, server, requests, connections=CONNECTIONS, seconds=arguments.seconds)
                    found.setdefault(what, []).append(result)

    def of(what, field):
        return statistics.median(result[field] for result in found[what])

    rows = [
        [what, f"{of(what, 'per_second'):,.0f}", f"{of(what, 'cpu_us'):.2f}",
         f"{of(what, 'cpu_us') - of(WORD, 'cpu_us'):+.2f}" if what != RAW else "–",
         f"{of(what, 'cpu_us') / of(RAW, 'cpu_us'):.2f}", "–" if what == RAW else f"≤ {BUDGET}"]
        for what in (RAW, WORD, VERIFIED, JUDGED)
    ]
    text = [
        page.provenance(
            f"medians of {arguments.rounds} interleaved rounds of {arguments.seconds:g} s, {CONNECTIONS} connections. The "
            "servers have one core and the client another."
        ),
        page.table(["GetItem", "requests/s", "CPU µs/request", "more than unverified", "CPU ÷ raw loop's", "budget"], rows),
    ]
    unverified = of(WORD, "cpu_us")
    return page.Measured(
        "\n\n".join(text),
        budgets=[[f"GetItem, {what}: CPU ÷ raw loop's", f"{of(what, 'cpu_us') / of(RAW, 'cpu_us'):.2f}", f"≤ {BUDGET}"]
                 for what in (VERIFIED, JUDGED)],
        costs=[page.cost(f"GetItem, {what}", of(what, "cpu_us"), WORD, unverified) for what in (VERIFIED, JUDGED)],
    )
