"""TagResource, UntagResource, ListTagsOfResource."""

import pytest
import tables
from client import INVALID, NOT_FOUND, NOT_NULL, VALIDATION, at_least, at_most, call, expect_error, expect_validation
from client import ok, one, region, several, unsatisfied
from tables import definitions, fresh_table, index, simple

op = pytest.mark.op
WRITES = "TagResource", "UntagResource"
ALL = (*WRITES, "ListTagsOfResource")
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


@pytest.fixture
def arn(new_table):
    return new_table(simple(fresh_table("tags")))["TableArn"]


@op(*ALL)
def test_tags_come_change_and_go(arn):
    assert tags_of(arn) == {}
    assert call("TagResource", {"ResourceArn": arn, "Tags": pairs(env="test", project="p")}).raw == b""
    assert tags_of(arn) == {"env": "test", "project": "p"}
    ok("TagResource", ResourceArn=arn, Tags=pairs(env="production", Env=""))
    assert tags_of(arn) == {"env": "production", "Env": "", "project": "p"}
    assert call("UntagResource", {"ResourceArn": arn, "TagKeys": ["absent", "env", "env"]}).raw == b""
    assert tags_of(arn) == {"Env": "", "project": "p"}


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
    ok("TagResource", ResourceArn=arn, Tags=[{"Key": f"k{n}", "Value": "v"} for n in range(50)])
    expect_validation("TagResource", {"ResourceArn": arn, "Tags": pairs(another="v")}, TOO_MANY)
    expect_validation("TagResource", {"ResourceArn": arn, "Tags": pairs(k1="new", another="v")}, TOO_MANY)
    assert tags_of(arn)["k1"] == "v"
    ok("TagResource", ResourceArn=arn, Tags=[{"Key": f"k{n}", "Value": "w"} for n in range(50)])
    assert tags_of(arn) == {f"k{n}": "w" for n in range(50)}


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
    for malformed in ("arn:", "arn:aws:dynamodb", arn.replace("dynamodb", "s3"), arn.replace("table/", "global-table/"), arn + "/backup/0170", arn + "/"):
        refused(malformed, VALIDATION, beside + malformed)
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


@op("ListTagsOfResource")
def test_there_is_no_second_page(arn):
    expect_validation("ListTagsOfResource", {"ResourceArn": arn, "NextToken": "x"}, "Invalid NextToken")
