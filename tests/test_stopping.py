"""Rules to stop by: words, windows by hand, and sentences for what is no rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.asked import Asked
from wolfspider.errors import BadInput
from wolfspider.stopping import (
    ForecastBelow,
    NothingFor,
    Rule,
    Rules,
    YieldBelow,
    budgets_in,
    parse,
    size_of,
)


def rule(text: str) -> Rule:
    found = parse(text)
    assert not isinstance(found, dict)
    return found


def after(text: str, *verdicts: tuple[int, bool]) -> str:
    """What a rule says after so many verdicts of each kind."""
    found = rule(text)
    for count, relevant in verdicts:
        for _ in range(count):
            assert not found.reason()
            found.add(relevant)
    return found.reason()


@pytest.mark.parametrize(
    ("text", "threshold", "window"),
    [
        ("yield < 1/200", 0.005, 600),
        ("yield<0.5%", 0.005, 600),
        ("Yield  <  0.005", 0.005, 600),
        ("yield < .5 %", 0.005, 600),
        ("yield < 2 / 30", 2 / 30, 100),  # 45 fetches would be too few
        ("yield < 1/2", 0.5, 100),
    ],
)
def test_a_yield_in_many_ways(text: str, threshold: float, window: int) -> None:
    found = rule(text)
    assert isinstance(found, YieldBelow)
    assert found.threshold == pytest.approx(threshold)
    assert found.window == window


def test_a_yield_is_measured_over_as_many_fetches_as_bring_three_at_the_threshold() -> None:
    assert after("yield < 1/200", (599, False)) == ""
    assert after("yield < 1/200", (600, False)) == (
        "yield fell below 1/200: no relevant page among the last 600 fetches"
    )
    assert after("yield < 1/200", (3, True), (597, False)) == ""  # just at it
    assert after("yield < 1/200", (3, True), (598, False)) == (
        "yield fell below 1/200: 2 relevant pages among the last 600 fetches"
    )
    assert after("yield < 0.5%", (500, False), (1, True), (99, False)) == (
        "yield fell below 0.5 %: 1 relevant page among the last 600 fetches"
    )


def test_a_yield_just_at_its_threshold_is_not_below_it() -> None:
    assert 0.07 * 100 > 7  # as floating point has it
    assert after("yield < 7%", (93, False), (7, True)) == ""
    assert after("yield < 7%", (94, False), (6, True)) != ""


def test_nothing_for_so_many_fetches() -> None:
    assert after("nothing for 5", (4, False), (1, True), (4, False)) == ""
    assert after("nothing for 5", (4, False), (1, True), (5, False)) == (
        "no relevant page among the last 5 fetches"
    )


def test_a_forecast_waits_until_as_many_are_fetched_as_it_looks_ahead() -> None:
    found = rule("forecast < 60 per 100")
    assert isinstance(found, ForecastBelow)
    for _ in range(100):
        assert found.reason() == ""  # although it expects 13 from the beginning on
        found.add(False)
    assert found.reason().startswith("forecast fell below 60 per 100: the next 100 fetches would")


def test_a_forecast_stops_by_its_upper_end() -> None:
    found = ForecastBelow(3, 100)
    for _ in range(5000):
        found.add(False)
        if found.reason():
            break
    last = found._forecaster.last
    assert last.high < 3
    assert last.expected < last.high
    assert found.reason() == (
        "forecast fell below 3 per 100: the next 100 fetches would bring "
        f"{last.expected:.1f} relevant pages, hardly more than {last.high}"
    )


def test_a_forecast_of_a_good_hunt_goes_on() -> None:
    assert after("forecast < 5 per 100", *[(9, False), (1, True)] * 100) == ""


@given(
    st.lists(st.booleans(), max_size=400),
    st.integers(0, 400),
    st.sampled_from(["yield < 3%", "nothing for 40", "forecast < 6 per 50"]),
)
def test_many_verdicts_are_the_same_as_one_after_the_other(
    verdicts: list[bool], split: int, text: str
) -> None:
    one, many = rule(text), rule(text)
    for each in verdicts:
        one.add(each)
    many.extend(np.array(verdicts[:split], np.bool_))
    many.extend(np.array(verdicts[split:], np.bool_))
    assert one.reason() == many.reason()


def test_any_of_several_rules_is_enough() -> None:
    rules = Rules(["yield < 1%", "nothing for 7"])
    for _ in range(7):
        assert rules.reason() == ""
        rules.add(False)
    assert rules.reason() == "no relevant page among the last 7 fetches"
    assert Rules([]).reason() == ""


# -- budgets -------------------------------------------------------------------------------


def test_budgets_in_words() -> None:
    texts = [
        "pages 10,000",
        "Relevant 500",
        "minutes 1.5",
        "bytes 2G",
        "pages 300",
        "nothing for 9",
    ]
    expected = {"pages": 300, "relevant": 500, "minutes": 1.5, "bytes": 2 << 30}
    assert budgets_in(texts) == expected


def test_what_is_asked_for_has_them_as_budgets() -> None:
    asked = Asked(
        "wolf", ("http://a.test/",), pages=50, stop=("pages 80", "relevant 5", "yield < 1%")
    )
    assert (asked.pages, asked.relevant, asked.stop) == (50, 5, ("yield < 1%",))
    assert Asked.of(asked.values()) == asked


def test_a_comma_stands_between_thousands() -> None:
    assert budgets_in(["bytes 1,024k", "minutes 1,000.5"]) == {"bytes": 1 << 20, "minutes": 1000.5}
    assert budgets_in(["pages 10,000,", "relevant 5,"]) == {"pages": 10_000, "relevant": 5}
    found = rule("nothing for 10,000,000")
    assert isinstance(found, NothingFor)
    assert found.fetches == 10_000_000


@pytest.mark.parametrize(
    "text",
    [
        "yield < 0,5%",
        "yield < ,5%",
        "yield < 0,500",
        "yield < 1/2,00",
        "forecast < 1,5 per 100",
        "nothing for 1,0000",
        "pages 1,5",
        "pages 1000,000",
        "bytes 1,5k",
        "minutes 0,01",
        "minutes 1.5,000",
    ],
)
def test_any_other_comma_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=f"the comma in '{text}' .* write a fraction .* as in 0.5$"):
        parse(text)


@pytest.mark.parametrize(
    ("stop", "budgets", "expected"),
    [
        ((), {}, (200, None, ("nothing for 9",))),
        ((), {"relevant": 3}, (200, 3, ("nothing for 9",))),
        (("yield < 1%",), {}, (200, None, ("yield < 1%",))),
        (("none",), {}, (200, None, ())),
        (("pages 500",), {}, (500, None, ())),  # more than before
        (("pages 500", "nothing for 30"), {"pages": 300}, (300, None, ("nothing for 30",))),
    ],
)
def test_rules_of_a_resumed_hunt(
    stop: tuple[str, ...], budgets: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    asked = Asked("wolf", ("http://a.test/",), stop=("pages 200", "nothing for 9"))
    found = asked.with_budgets(stop, **budgets)
    assert (found.pages, found.relevant, found.stop) == expected


@pytest.mark.parametrize(
    ("text", "size"),
    [("500M", 500 << 20), ("2G", 2 << 30), ("1.5kb", 1536), ("7", 7), ("2GiB", 2 << 30)],
)
def test_sizes(text: str, size: int) -> None:
    assert size_of(text) == size


# -- what is no rule -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "when I am tired",
            r"'when I am tired' is no rule to stop by; write one as \"yield < 1/200\"",
        ),
        ("yield > 1/200", "is no rule to stop by"),
        ("", "is no rule to stop by"),
        ("None", "--stop none takes rules of before away; a new hunt has none, leave it out"),
        ("nothing for ever", "is no rule to stop by"),
        ("yield < 3/2", "is not between 0 and 1"),
        ("yield < 0", "is not between 0 and 1"),
        ("yield < 1/0", "is not between 0 and 1"),
        ("yield < 1/99999999999", "fetches; the least that can be asked for is 3/10000000"),
        ("nothing for 0", "is about 0 fetches; give from 1 to 10,000,000"),
        ("nothing for " + 5000 * "9", "a number of 5,000 digits; give from 1 to 10,000,000"),
        ("forecast < 5 per 9999999", "give from 1 to 100,000"),
        ("forecast < 0 per 100", "always hold or never"),
        ("forecast < 500 per 100", "always hold or never"),
        ("pages many", "'many' in 'pages many' is no whole number"),
        ("pages 30.5", "'30.5' in 'pages 30.5' is no whole number; write it as 10000"),
        ("bytes 2 giga", "is no rule to stop by"),
        ("bytes 2X", "is no number"),
        ("minutes nan", "give a number above 0"),
        ("pages 0", "a budget of 0 pages fetches nothing"),
    ],
)
def test_a_sentence_for_what_is_no_rule(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Asked("wolf", ("http://a.test/",), stop=(text,))


def test_the_rules_of_the_sentence_are_rules() -> None:
    assert isinstance(rule("nothing for 500"), NothingFor)
    with pytest.raises(BadInput) as error:
        parse("?")
    for text in str(error.value).split('"')[1::2]:
        parse(text)
