"""TagResource, UntagResource, ListTagsOfResource."""

import time

import pytest
import tables
from client import INVALID, NOT_FOUND, NOT_NULL, VALIDATION, at_least, at_most, call, expect_error, expect_validation
from client import ok, one, region, several, unsatisfied
from tables import definitions, fresh_table, index, simple, wait_gone

op = pytest.mark.op
WRITES = "TagResource", "UntagResource"
ALL = (*WRITES, "ListTagsOfResource")
LIMIT = "LimitExceededException"
TOO_MANY = "Number of Tags exceed the current limit for the provided ResourceArn"


def pairs(**tags):
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def sent(operation, arn):
    more = {"TagResource": {"Tags": pairs(k="v")}, "UntagResource": {"TagKeys": ["k"]}}.get(operation, {})
    return {"ResourceArn": arn, **more}


def tags_of(arn):
    body = ok("ListTagsOfResource", ResourceArn=arn)
    assert "NextToken" not in body
    return {tag["Key"]: tag["Value"] for tag in body["Tags"]}


def once_idle(operation, arn, **more):
    """The reply to a change of tags that waits until the one before is over."""
    deadline = time.monotonic() + 30
    while True:
        reply = call(operation, {"ResourceArn": arn, **more})
        if reply.type != LIMIT or time.monotonic() > deadline:
            return reply
        time.sleep(0.02)


def tag(arn, *tags, **more):
    reply = once_idle("TagResource", arn, Tags=[*tags, *pairs(**more)])
    assert (reply.status, reply.raw) == (200, b""), reply


def untag(arn, *keys):
    reply = once_idle("UntagResource", arn, TagKeys=list(keys))
    assert (reply.status, reply.raw) == (200, b""), reply


def refused_once_idle(operation, arn, text, **more):
    reply = once_idle(operation, arn, **more)
    assert (reply.type, reply.message) == (VALIDATION, text)


@pytest.fixture
def arn(new_table):
    return new_table(simple(fresh_table("tags")))["TableArn"]


@op(*ALL)
def test_tags_come_change_and_go(arn):
    assert tags_of(arn) == {}
    tag(arn, env="test", project="p")
    assert tags_of(arn) == {"env": "test", "project": "p"}
    tag(arn, env="production", Env="")
    assert tags_of(arn) == {"env": "production", "Env": "", "project": "p"}
    untag(arn, "absent", "env")
    assert tags_of(arn) == {"Env": "", "project": "p"}
    untag(arn, "absent")
    assert tags_of(arn) == {"Env": "", "project": "p"}


@op(*ALL, "DeleteTable")
def test_a_change_of_tags_takes_a_moment(new_table):
    name = fresh_table("tags")
    arn = new_table(simple(name))["TableArn"]
    busy = f"Subscriber limit exceeded: Table tags are being updated: {name}"

    def one_after(first, second, refused):
        """Whether the second request is refused while the first has not settled. A slow machine may miss the moment."""
        for _ in range(20):
            once_idle("UntagResource", arn, TagKeys=["a", "b", "c"])
            once_idle("TagResource", arn, Tags=pairs(kept="v"))
            assert once_idle(first[0], arn, **first[1]).status == 200
            reply = call(second[0], {"ResourceArn": arn, **second[1]})
            if (reply.status == 200) != refused:
                break
        assert (reply.type, reply.message) == ((LIMIT, busy) if refused else (None, None)), (first, second)

    def adds(**tags):
        return "TagResource", {"Tags": pairs(**tags)}

    def drops(*keys):
        return "UntagResource", {"TagKeys": list(keys)}

    one_after(adds(a="1"), adds(b="1"), True)
    one_after(adds(a="1"), adds(a="2"), True)
    one_after(adds(a="1"), adds(kept="v"), True)
    one_after(adds(a="1"), drops("absent"), True)
    one_after(drops("kept"), drops("absent"), True)
    one_after(drops("kept"), adds(a="1"), True)
    one_after(adds(a="1"), adds(a="1"), False)
    one_after(adds(a="1"), adds(a="1", b="2"), False)
    one_after(adds(kept="v"), adds(a="1"), False)
    one_after(drops("absent"), adds(a="1"), False)
    one_after(adds(a="1"), ("ListTagsOfResource", {}), False)
    untag(arn, "a", "b", "kept")
    ok("DeleteTable", TableName=name)
    wait_gone(name)


@op(*ALL)
def test_a_stream_has_tags_of_its_own(new_table):
    name = fresh_table("tags")
    on = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    made = new_table(simple(name, StreamSpecification=on, Tags=pairs(of="the table")))
    arn, stream = made["TableArn"], made["LatestStreamArn"]
    assert (tags_of(arn), tags_of(stream)) == ({"of": "the table"}, {})
    tag(stream, of="the stream", more="x")
    assert (tags_of(arn), tags_of(stream)) == ({"of": "the table"}, {"of": "the stream", "more": "x"})
    untag(stream, "of")
    untag(arn, "of")
    assert (tags_of(arn), tags_of(stream)) == ({}, {"more": "x"})
    expect_validation("TagResource", {"ResourceArn": stream, "Tags": pairs(**{"bad#": "v"})}, KEY + "bad#")
    ok("UpdateTable", TableName=name, StreamSpecification={"StreamEnabled": False})
    tables.wait_active(name)
    ok("UpdateTable", TableName=name, StreamSpecification=on)
    newest = tables.wait_active(name)["LatestStreamArn"]
    assert newest != stream and tags_of(newest) == {}


@op("CreateTable", "ListTagsOfResource", "DescribeTable")
def test_tags_of_create_table(new_table):
    made = new_table(simple(fresh_table(), Tags=pairs(a="1")))
    assert tags_of(made["TableArn"]) == {"a": "1"}
    assert "Tags" not in made


@op("TagResource", "ListTagsOfResource", "DescribeTable")
def test_a_tag_does_not_touch_the_rest(new_table):
    made = new_table(simple(fresh_table()))
    ok("TagResource", ResourceArn=made["TableArn"], Tags=pairs(a="1"))
    assert ok("DescribeTable", TableName=made["TableName"])["Table"] == made


@op("TagResource", "ListTagsOfResource")
def test_tags_of_a_name_do_not_outlive_the_table(new_table):
    name = fresh_table()
    arn = new_table(simple(name))["TableArn"]
    ok("TagResource", ResourceArn=arn, Tags=pairs(a="1"))
    tables.drop(name)
    new_table(simple(name))
    assert tags_of(arn) == {}


@op("TagResource", "ListTagsOfResource")
def test_fifty_tags_and_no_more(arn):
    tag(arn, *({"Key": f"k{n}", "Value": "v"} for n in range(50)))
    refused_once_idle("TagResource", arn, TOO_MANY, Tags=pairs(another="v"))
    refused_once_idle("TagResource", arn, TOO_MANY, Tags=pairs(k1="new", another="v"))
    assert tags_of(arn)["k1"] == "v"
    tag(arn, *({"Key": f"k{n}", "Value": "w"} for n in range(50)))
    assert tags_of(arn) == {f"k{n}": "w" for n in range(50)}


def too_large(size):
    return f"Tag set size {size} bytes is above max size limit of 10240 bytes"


@op("TagResource", "ListTagsOfResource", "CreateTable")
def test_ten_kilobytes_of_tags_and_no_more(arn):
    full = [{"Key": f"{n:02}" + "k" * 98, "Value": "v" * 156} for n in range(40)]
    tag(arn, *full)
    refused_once_idle("TagResource", arn, too_large(10242), Tags=pairs(a="b"))
    refused_once_idle("TagResource", arn, too_large(10241), Tags=[{**full[0], "Value": "v" * 157}])
    refused_once_idle("TagResource", arn, too_large(10396), Tags=[{**full[0], "Value": "é" * 156}])
    assert tags_of(arn) == {tag["Key"]: tag["Value"] for tag in full}
    tag(arn, {**full[0], "Value": "v" * 155})
    name = fresh_table()
    expect_validation("CreateTable", simple(name, Tags=[*full, *pairs(a="")]), too_large(10241))
    assert call("DescribeTable", {"TableName": name}).type == NOT_FOUND


@op("UntagResource", "ListTagsOfResource")
def test_fifty_one_keys_are_too_many_to_drop(arn):
    expect_validation("UntagResource", {"ResourceArn": arn, "TagKeys": [f"k{n}" for n in range(51)]}, TOO_MANY)
    ok("UntagResource", ResourceArn=arn, TagKeys=[f"k{n}" for n in range(50)])


KEY, VALUE = "The Tag Key provided is invalid, Key: ", "The Tag Value provided is invalid, Value: "
BAD = [
    ([], "Atleast one Tag needs to be provided as Input."),
    ([{}], KEY + "null"),
    ([{"Value": "v"}], KEY + "null"),
    ([{"Key": "k"}], VALUE + "null"),
    (pairs(**{"": "v"}), KEY),
    (pairs(**{"k" * 129: "v"}), KEY + "k" * 129),
    (pairs(k="v" * 257), VALUE + "v" * 257),
    (pairs(**{"bad#char": "v"}), KEY + "bad#char"),
    (pairs(k="bad#char"), VALUE + "bad#char"),
    (pairs(**{"🔑": "v"}), KEY + "🔑"),
    *[(pairs(k=text), VALUE + text) for text in ("🔑", "100%", "a,b", 'it"s', "(x)", "[y]", "{z}", "a&b", "a*b", "a;b", "a?b", "a|b", "a\\b", "<a>", "~a")],
    *[(pairs(**{key: "v"}), "Tag Key cannot be prefixed with aws:, Key: " + key) for key in ("aws:foo", "AWS:foo", "aWs:")],
    (pairs(dup="v") * 2, "Duplicate Tag Keys provided as input: Duplicate Tag Key found dup"),
    ([{"Key": f"k{n}", "Value": "v"} for n in range(51)], TOO_MANY),
    (pairs(good="v", **{"aws:zzz": "v"}), "Tag Key cannot be prefixed with aws:, Key: aws:zzz"),
    (pairs(good="v", **{"x" * 129: "v"}), KEY + "x" * 129),
]  # fmt: skip


@op("TagResource", "ListTagsOfResource")
@pytest.mark.parametrize("tags, text", BAD, ids=range(len(BAD)))
def test_bad_tags_change_nothing(arn, tags, text):
    expect_validation("TagResource", {"ResourceArn": arn, "Tags": tags}, text)
    assert tags_of(arn) == {}


@op("TagResource", "ListTagsOfResource")
@pytest.mark.parametrize("text", ["ключ", "café", "表", " a", "a\u00a0b", "a\u3000b", "a+b-c=d.e_f:g/h@i", "k" * 128, "²½Ⅳ"])
def test_letters_of_any_script(arn, text):
    ok("TagResource", ResourceArn=arn, Tags=[{"Key": text, "Value": text}, {"Key": "long", "Value": "v" * 256}])
    assert tags_of(arn)[text] == text


@op("UntagResource", "ListTagsOfResource")
@pytest.mark.parametrize(
    "keys, text",
    [
        ([], "Atleast one Tag Key needs to be provided as Input."),
        ([""], KEY),
        (["k" * 129], KEY + "k" * 129),
        (["kept", "aws:foo"], "Tag Key cannot be prefixed with aws:, Key: aws:foo"),
        (["kept", "other", "kept"], "Duplicate Tag Keys provided as input: Duplicate Tag Key found kept"),
    ],
)
def test_bad_keys_drop_nothing(arn, keys, text):
    ok("TagResource", ResourceArn=arn, Tags=pairs(kept="v"))
    expect_validation("UntagResource", {"ResourceArn": arn, "TagKeys": keys}, text)
    assert tags_of(arn) == {"kept": "v"}


@op(*ALL)
@pytest.mark.parametrize("operation", ALL)
def test_arns(operation, new_table):
    request = simple(fresh_table("tags"), GlobalSecondaryIndexes=[index("glo", "g")])
    request["AttributeDefinitions"] = definitions(pk="S", g="S")
    arn = new_table(request)["TableArn"]
    name = request["TableName"]
    beside = "One or more parameter values were invalid: Provided Arn is not a DynamoDB resource arn: "

    def refused(arn, exception, text):
        expect_error(operation, sent(operation, arn), exception, text)

    refused("not-an-arn", VALIDATION, INVALID + "ARNs must start with 'arn:': not-an-arn")
    refused(name, VALIDATION, INVALID + f"ARNs must start with 'arn:': {name}")
    for malformed in ("arn:", "arn:aws:dynamodb", arn.replace("table/", "global-table/"), arn + "/backup/0170", arn + "/"):
        refused(malformed, VALIDATION, beside + malformed)
    for foreign in (arn.replace(":dynamodb:", ":sqs:"), "arn:aws:s3:::bucket", "arn:aws:iam::123456789012:user/alice"):
        refused(foreign, "AccessDeniedException", "Access is denied")
    refused(arn + "/index/glo", VALIDATION, INVALID + f"Invalid resource arn provided, only table or stream is accepted. Provided resource arn: {arn}/index/glo")
    refused(arn.replace(":123456789012:", ":111122223333:"), "AccessDeniedException", "Access is denied")
    elsewhere = arn.replace(region(), "eu-north-1")
    refused(elsewhere, VALIDATION, f"Invalid TableArn: Invalid ResourceArn provided as input {elsewhere}")
    for missing in (arn + "x", arn.replace(name, name.upper()), arn + "/stream/2026-01-01T00:00:00.000"):
        refused(missing, NOT_FOUND, f"Requested resource not found: ResourceArn: {missing} not found")


@op(*ALL)
@pytest.mark.parametrize("operation", ALL)
def test_constraints_come_first(operation):
    expect_validation(operation, {**sent(operation, ""), "Tags": [], "TagKeys": []}, one(unsatisfied("", "resourceArn", at_least(1))))
    long = "arn:" + "x" * 1280
    expect_validation(operation, sent(operation, long), one(unsatisfied(long, "resourceArn", at_most(1283))))
    absent = {"TagResource": ["tags"], "UntagResource": ["tagKeys"]}.get(operation, [])
    faults = [unsatisfied(None, member, NOT_NULL) for member in ["resourceArn", *absent]]
    expect_validation(operation, {}, several(*faults) if len(faults) > 1 else one(faults[0]))


@op(*WRITES)
def test_what_is_sent_comes_before_the_table():
    arn = f"arn:aws:dynamodb:{region()}:123456789012:table/{tables.ABSENT}"
    expect_validation("TagResource", {"ResourceArn": arn, "Tags": []}, "Atleast one Tag needs to be provided as Input.")
    expect_validation("UntagResource", {"ResourceArn": arn, "TagKeys": [""]}, KEY)


@op("ListTagsOfResource", "TagResource")
def test_there_is_no_second_page(arn):
    ok("TagResource", ResourceArn=arn, Tags=pairs(a="1"))
    page = ok("ListTagsOfResource", ResourceArn=arn)
    assert ok("ListTagsOfResource", ResourceArn=arn, NextToken="nonsense") == page
