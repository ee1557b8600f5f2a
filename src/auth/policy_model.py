"""What policies decide, worked out a second time and in another way than policy.cc: from the words of IAM's user guide,
by regular expressions and sets, slowly. policy_property_test.py holds the two against each other.
"""

import base64
import datetime
import decimal
import ipaddress
import re

ABSENT = None


class Malformed(Exception):
    pass


def as_list(value):
    return value if isinstance(value, list) else [value]


def same_key(one, other):
    """Names of keys are told apart by letters; what is behind the slash of a tag's is the tag's."""
    head, slash, tag = one.partition("/")
    other_head, other_slash, other_tag = other.partition("/")
    return (head.lower(), slash, tag) == (other_head.lower(), other_slash, other_tag)


KNOWN = """dynamodb:LeadingKeys dynamodb:SecondPartitionKeyValues dynamodb:ThirdPartitionKeyValues
dynamodb:FourthPartitionKeyValues dynamodb:Attributes dynamodb:Select dynamodb:ReturnValues
dynamodb:ReturnConsumedCapacity dynamodb:FullTableScan dynamodb:EnclosingOperation aws:TagKeys aws:SourceIp
aws:CurrentTime aws:EpochTime aws:SecureTransport aws:PrincipalArn aws:PrincipalAccount aws:PrincipalType aws:username
aws:userid aws:RequestedRegion aws:TokenIssueTime aws:ViaAWSService aws:ViaAWSMCPService aws:PrincipalIsAWSService
aws:ResourceAccount aws:UserAgent aws:referer aws:MultiFactorAuthPresent sts:RoleSessionName""".lower().split()
OTHER_NAMES = {"dynamodb:firstpartitionkeyvalues": "dynamodb:leadingkeys"}


def values_of(context, key):
    key = OTHER_NAMES.get(key.lower(), key)
    head = key.partition("/")[0].lower()
    if "/" in key:
        if head not in ("aws:resourcetag", "aws:requesttag", "aws:principaltag"):
            return ABSENT
    elif head not in KNOWN:
        return ABSENT
    for name, values in context.items():
        if same_key(name, key):
            return values
    return ABSENT


def expression(text, context, wildcards, variables, fold):
    """A compiled expression for a text of a policy, or nothing when one of its variables has no value."""
    parts = []
    while text:
        variable = re.match(r"\$\{([^}]*)\}", text, re.S) if variables else None
        if variable:
            inside = variable.group(1)
            text = text[variable.end():]
            if inside in ("*", "?", "$"):
                parts.append(re.escape(inside))
                continue
            key, comma, fallback = inside.partition(",")
            values = values_of(context, key.strip())
            if values is not ABSENT and len(values) == 1:
                parts.append(re.escape(values[0]))
            elif comma:
                parts.append(re.escape(fallback.strip()[1:-1]))
            else:
                return None
            continue
        first, text = text[0], text[1:]
        parts.append({"*": ".*", "?": "."}[first] if wildcards and first in "*?" else re.escape(first))
    return re.compile("".join(parts), re.S | (re.I | re.A if fold else 0))


def fits(text, pattern, context, *, wildcards=True, variables=True, fold=False):
    compiled = expression(pattern, context, wildcards, variables, fold)
    return compiled is not None and compiled.fullmatch(text) is not None


def number(text):
    try:
        value = decimal.Decimal(text)
    except decimal.InvalidOperation:
        return None
    return value if value.is_finite() else None


def moment(text):
    if re.fullmatch(r"-?\d{5,}(\.\d+)?", text):
        return decimal.Decimal(text)
    for form in ("%Y", "%Y-%m", "%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f"):
        for zone in ("", "Z", "%z"):
            try:
                when = datetime.datetime.strptime(text, form + zone)
            except ValueError:
                continue
            if when.tzinfo is None:
                when = when.replace(tzinfo=datetime.timezone.utc)
            return decimal.Decimal(str(when.timestamp()))
    return None


def truth(text):
    return {"true": True, "false": False}.get(text.lower())


def in_network(address, network):
    try:
        at = ipaddress.ip_address(address)
        net = ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False
    at = getattr(at, "ipv4_mapped", None) or at
    return at.version == net.version and at in net


def arn_fits(text, pattern, context, variables):
    hidden = re.sub(r"\$\{[^}]*\}", lambda found: found.group().replace(":", "\0"), pattern) if variables else pattern
    parts, wanted = text.split(":", 5), [part.replace("\0", ":") for part in hidden.split(":", 5)]
    if len(parts) < 6:
        return False
    wanted += ["*"] * (6 - len(wanted))
    return all(fits(one, by, context, variables=variables) for one, by in zip(parts, wanted))


ORDERS = {
    "Equals": lambda a, b: a == b,
    "LessThan": lambda a, b: a < b,
    "LessThanEquals": lambda a, b: a <= b,
    "GreaterThan": lambda a, b: a > b,
    "GreaterThanEquals": lambda a, b: a >= b,
}


def positive(operator, value, wanted, context, variables):
    """Whether one value of the request is what an operator without its Not wants."""
    wanted = wanted if isinstance(wanted, str) else str(wanted).lower() if isinstance(wanted, bool) else str(wanted)
    if operator == "StringEquals":
        return fits(value, wanted, context, wildcards=False, variables=variables)
    if operator == "StringEqualsIgnoreCase":
        return fits(value, wanted, context, wildcards=False, variables=variables, fold=True)
    if operator == "StringLike":
        return fits(value, wanted, context, variables=variables)
    if operator in ("ArnEquals", "ArnLike"):
        return arn_fits(value, wanted, context, variables)
    if operator == "Bool":
        return truth(value) is not None and truth(value) == truth(wanted)
    if operator == "IpAddress":
        return in_network(value, wanted)
    if operator == "BinaryEquals":
        try:
            return base64.b64decode(value, validate=True) == base64.b64decode(wanted, validate=True)
        except ValueError:
            return False
    for kind, read in (("Numeric", number), ("Date", moment)):
        if operator.startswith(kind):
            left, right = read(value), read(wanted)
            return left is not None and right is not None and ORDERS[operator[len(kind):]](left, right)
    raise Malformed(operator)


def valued(text, context, variables):
    return not isinstance(text, str) or expression(text, context, False, variables, False) is not None


def line_holds(operator, key, wanted, context, variables, effect):
    over = ""
    if ":" in operator:
        over, operator = operator.split(":")
    exists_too = operator.endswith("IfExists")
    operator = operator.removesuffix("IfExists")
    values = values_of(context, key)
    missing = values is ABSENT or not values
    if operator == "Null":
        return any(truth(str(one)) == missing for one in as_list(wanted))
    inverse = "Not" in operator
    operator = operator.replace("Not", "")
    if missing:
        return exists_too or over == "ForAllValues" or (not over and inverse)
    verdicts = [any(positive(operator, value, one, context, variables) for one in as_list(wanted)) for value in values]
    if inverse:
        sure = effect == "Deny" or all(valued(one, context, variables) for one in as_list(wanted))
        verdicts = [not one and sure for one in verdicts]
    if over:
        return all(verdicts) if over == "ForAllValues" else any(verdicts)
    return all(verdicts) if inverse else any(verdicts)


def principal_rank(element, who):
    """0: somebody else; 1: the account; 2: his role, or everyone; 3: himself."""
    names = ["*"] if element == "*" else as_list(element.get("AWS", []))
    rank = 0
    for name in names:
        root = re.fullmatch(r"arn:[^:]*:iam::(\d{12}):root", name)
        if name == who["arn"]:
            rank = max(rank, 3)
        elif name == "*" or (who["role"] and name == who["role"]):
            rank = max(rank, 2)
        elif name == who["account"] or (root and root.group(1) == who["account"]):
            rank = max(rank, 1)
    return rank


def all_named(element, request):
    """Whether every principal that he is at once is among the names; nothing helps who has a boundary."""
    alone = [{"arn": "", "role": "", "account": "", key: request[key]} for key in ("arn", "role", "account") if request[key]]
    everyone = "*" in ([element] if element == "*" else as_list(element.get("AWS", [])))
    return everyone or (not request["boundary"] and all(principal_rank(element, one) for one in alone))


def statement_rank(statement, request, variables, identity):
    """0 when the statement is not about the request; else how closely it means who asks."""
    context = request["context"]
    rank = 3
    if not identity:
        if "Principal" in statement:
            rank = principal_rank(statement["Principal"], request)
        else:
            rank = 0 if all_named(statement["NotPrincipal"], request) else 2
    actions = as_list(statement.get("Action", statement.get("NotAction")))
    acts = any(fits(request["action"], one, context, variables=False, fold=True) for one in actions)
    if acts != ("Action" in statement) or not rank:
        return 0
    resources = as_list(statement.get("Resource", statement.get("NotResource")))
    compiled = [expression(one, context, True, variables, False) for one in resources]
    named = any(one is not None and one.fullmatch(request["on"]) for one in compiled)
    if "Resource" in statement and not named:
        return 0
    if "NotResource" in statement and (named or (None in compiled and statement["Effect"] == "Allow")):
        return 0
    lines = [(operator, key, wanted)
             for operator, keys in statement.get("Condition", {}).items() for key, wanted in keys.items()]
    of_items = {"dynamodb:leadingkeys", "dynamodb:attributes", "dynamodb:select",
                *(f"dynamodb:{which}partitionkeyvalues" for which in ("first", "second", "third", "fourth"))}
    if request["action"] == "dynamodb:SearchVectors" and any(key.lower() in of_items for _, key, _ in lines):
        return 0
    if not all(line_holds(*line, context, variables, statement["Effect"]) for line in lines):
        return 0
    return rank


def judge(policy, request, identity=True):
    """("Deny", 0), ("Allow", rank) or ("", 0)."""
    variables = policy.get("Version") == "2012-10-17"
    found = [(one["Effect"], statement_rank(one, request, variables, identity)) for one in as_list(policy["Statement"])]
    found = [(effect, rank) for effect, rank in found if rank]
    if any(effect == "Deny" for effect, _ in found):
        return "Deny", 0
    return ("Allow", max(rank for _, rank in found)) if found else ("", 0)


def decide(case):
    identity = [judge(one, case) for one in case["identity"]]
    resource = [judge(one, case, identity=False) for one in case["resource"]]
    boundary = judge(case["boundary"], case) if case["boundary"] else ("Allow", 3)
    session = judge(case["session"], case) if case["session"] else ("Allow", 3)
    for name, answers in (("identity", identity), ("resource", resource), ("boundary", [boundary]), ("session", [session])):
        if any(effect == "Deny" for effect, _ in answers):
            return f"denied by {name}"
    closest = max((rank for effect, rank in resource if effect == "Allow"), default=0)
    if closest == 3:
        return "allowed"
    if boundary[0] != "Allow":
        return "not in boundary"
    if session[0] != "Allow":
        return "not in session"
    if closest == 2 or any(effect == "Allow" for effect, _ in identity):
        return "allowed"
    return "not in identity"
