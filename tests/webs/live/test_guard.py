"""Which addresses may be connected to: row 29 of FAULTS.md."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.webs.live.guard import Guard, is_public

INSIDE = """
0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.255 169.254.169.254
172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255
198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
:: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe fe80::1 fe80::1%eth0 febf::1
fc00::1 fd12:3456::1 fec0::1 ff02::1 2001:db8::1 100::1 64:ff9b::127.0.0.1 64:ff9b::a00:1
64:ff9b:1::1 2002:7f00:1:: 2002:a00:1::1 2001:0:7f00:1:: 2001::1
"""
OUTSIDE = """
1.1.1.1 8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 198.17.0.1 198.20.0.1
2606:4700:4700::1111 2a00:1450:4001::1 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1
"""
NONSENSE = ["", "localhost", "127.1", "0x7f.1", "2130706433", "1.2.3", "::g", "1.2.3.4:80", "[::1]"]


@pytest.mark.parametrize("address", INSIDE.split())
def test_row_29_inside_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", OUTSIDE.split())
def test_outside_addresses_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", NONSENSE)
def test_row_29_what_is_no_address_is_not_public(address: str) -> None:
    assert not is_public(address)


@given(st.ip_addresses(v=4))
def test_row_29_a_wrapped_address_is_as_good_as_the_one_inside(address: IPv4Address) -> None:
    number = int(address)
    mapped = IPv6Address(0xFFFF << 32 | number)
    nat64 = IPv6Address(0x64FF9B << 96 | number)
    six_to_four = IPv6Address(0x2002 << 112 | number << 80)
    expected = is_public(str(address))
    assert {is_public(str(each)) for each in (mapped, nat64, six_to_four)} == {expected}


@given(st.text(max_size=40))
def test_no_text_breaks_the_guard(text: str) -> None:
    Guard().permits(text, text)


def test_a_host_named_by_hand_is_permitted_wherever_it_is() -> None:
    guard = Guard(frozenset({"localhost", "::1"}))
    assert guard.permits("localhost", "127.0.0.1")
    assert guard.permits("LOCALHOST:8080", "127.0.0.1")
    assert guard.permits("[::1]", "::1")
    assert guard.permits("::1", "::1")


def test_a_name_is_not_permitted_for_what_another_may() -> None:
    guard = Guard(frozenset({"localhost"}))
    assert not guard.permits("127.0.0.1", "127.0.0.1")
    assert not guard.permits("localhost.evil.example", "127.0.0.1")
    assert not guard.permits("evil.example", "127.0.0.1")
    assert not guard.permits("a.localhost", "127.0.0.1")


def test_by_default_nothing_inside_is_permitted() -> None:
    assert not Guard().permits("localhost", "127.0.0.1")
    assert Guard().permits("example.org", "93.184.216.34")
