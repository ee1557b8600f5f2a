import botocore.exceptions
import parcels
import pytest


def test_places_are_in_order():
    parcels.scan("p", "Bari", "2026-11-02")
    parcels.scan("p", "Turin", "2026-11-01")
    assert parcels.places("p") == ["Turin", "Bari"]


def test_a_scan_counts_once():
    parcels.scan("p", "Bari", "2026-11-02")
    with pytest.raises(botocore.exceptions.ClientError, match="ConditionalCheckFailed"):
        parcels.scan("p", "Turin", "2026-11-02")
    assert parcels.places("p") == ["Bari"] and parcels.changes() == ["p"]
