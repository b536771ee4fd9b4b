"""Numbers as people say them."""

from __future__ import annotations

from wolfspider.wording import lasting, percent, several


def test_one_of_a_kind_has_no_s() -> None:
    pages = [several(count, "page") for count in (0, 1, 2000)]
    assert pages == ["0 pages", "1 page", "2,000 pages"]
    assert several(2, "address", "addresses") == "2 addresses"


def test_a_share_is_not_rounded_to_nothing_nor_to_all() -> None:
    shares = [percent(share) for share in (0, 0.0001, 0.125, 0.99999, 1)]
    assert shares == ["0 %", "< 0.1 %", "12.5 %", "> 99.9 %", "100 %"]


def test_a_time_is_told_in_the_largest_unit_of_which_there_are_two() -> None:
    times = [lasting(seconds) for seconds in (0.4, 1, 119, 120, 7199, 3 * 86400)]
    assert times == ["0 seconds", "1 second", "119 seconds", "2 minutes", "120 minutes", "3 days"]
