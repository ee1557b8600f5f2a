"""Ports that tests give to their servers."""

import socket

import ports
import pytest
from ports import free_port


@pytest.fixture
def given(tmp_path, monkeypatch):
    """Says which ports the system gives to others."""
    monkeypatch.setattr(ports, "GIVEN", tmp_path / "range")
    return (tmp_path / "range").write_text


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_one_below_those_that_the_system_gives(given, host):
    given("20000\t60999\n")
    assert 10_000 <= free_port(host) < 20_000


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_one_of_the_system_where_hardly_any_are_below(given, host):
    given("1024\t65535\n")
    assert free_port(host) >= 1024
    given("10050\t65535\n")
    assert free_port(host) >= 1024


@pytest.mark.parametrize("taken", ["127.0.0.1", "::1"])
def test_it_is_free_at_each_address(given, monkeypatch, taken):
    given("10100\t60999\n")
    monkeypatch.setattr(ports.random, "sample", lambda among, count: [port] + [0] * count)
    family = socket.AF_INET6 if ":" in taken else socket.AF_INET
    with socket.create_server((taken, 0), family=family) as listener:
        port = listener.getsockname()[1]
        assert free_port("localhost") not in (0, port)


def test_a_name_of_nobody():
    with pytest.raises(socket.gaierror):
        free_port("nobody.invalid")
