"""docs/compatibility.md says what the sources say."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import compatibility  # noqa: E402  (it stands in tests)


def without_counts(text):
    return re.sub(r"\d+ passed(, \*\*\d+ failed\*\*)?", "N", text).strip()


def test_the_page_is_the_one_that_is_generated():
    page = compatibility.PAGE.read_text().split(compatibility.BEGIN)[1].split(compatibility.END)[0]
    assert without_counts(page) == without_counts(compatibility.generated({})), "run tests/compatibility.py"


def test_every_operation_is_one_of_the_service_model():
    services = compatibility.model()["services"]
    assert set(compatibility.served()) <= {(title, name) for title, names in services.items() for name in names}
    assert set(compatibility.refused()) <= {name for names in services.values() for name in names}


def test_a_refused_parameter_is_one_of_the_service_model():
    for operation, names in compatibility.refused().items():
        assert set(names) <= set(compatibility.model()["services"]["DynamoDB"][operation]), operation
