"""Nothing that DynamoDB has is passed over: every parameter of the newest service model is looked at."""

import json
import pathlib

import pytest
from client import SERIALIZATION, call

MODEL = json.loads((pathlib.Path(__file__).resolve().parents[1] / "service_model.json").read_text())
# It says that a member is missing before it looks at the kinds of those that may be.
NEEDED = {"SearchVectors": {"TableName": "absent", "IndexName": "absent", "SearchVector": [{"N": "1"}], "TopK": 1}}
PARAMETERS = [(o, p) for o, names in MODEL["services"]["DynamoDB"].items() for p in names]


@pytest.mark.parametrize("operation, parameter", PARAMETERS, ids=[f"{o}-{p}" for o, p in PARAMETERS])
def test_a_parameter_has_a_kind(operation, parameter):
    """No kind of JSON value fits every parameter, so at least one of these is refused for its kind.

    Which operations are served is what tests/http/test_operations.py looks at; one that is not says so whatever it is
    sent."""
    needed = NEEDED.get(operation, {})
    kinds = [call(operation, {**needed, parameter: value}).type for value in (1, "x", [], {})]
    assert SERIALIZATION in kinds or kinds == ["UnknownOperationException"] * 4
