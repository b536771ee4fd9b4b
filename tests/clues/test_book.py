"""What links are told by the pages around them, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import through_disk
from wolfspider.clues.book import Book, Count, Numbers, Said, in_bytes

LIST, MENU = 7, 9  # tag paths


def told(book: Book, number: int) -> dict[str, float]:
    """What was counted for a link, without zeros."""
    counts = {count.name: book.count_of(number, count) for count in Count}
    counts["TALK"] = book.talk(np.array([number])).item()
    return {name: value for name, value in counts.items() if value}


def add(book: Book, count: int, parent: int = -1) -> Numbers:
    fingerprints = np.arange(book.size + 1, book.size + 1 + count, dtype=np.uint64)
    return book.enter(fingerprints, parent)[0]


def tell(
    book: Book, numbers: Numbers, paths: list[int], *, paid: float = 0.0, talk: float = 0.0
) -> None:
    said = np.zeros((len(numbers), len(Said)), np.int8)
    waiting = np.flatnonzero(book.page[numbers] == 0)
    book.tell_links(numbers, waiting, said[waiting], np.array(paths, np.uint32), paid, talk)


def counts_of(book: Book) -> list[list[float]]:
    counts: list[list[float]] = book.counts(np.arange(book.size, dtype=np.intp)).tolist()
    return counts


def hub(links: int) -> tuple[Book, Numbers]:
    """A book with a seed, number 0, which was fetched and has some links, all of a list."""
    book = Book()
    add(book, 1)
    book.fetch(0, 0.0)
    numbers = add(book, links, parent=0)
    tell(book, numbers, [LIST] * links)
    return book, numbers


def test_links_have_numbers_by_fingerprint() -> None:
    book = Book()
    assert book.find(77) == -1
    assert book.number(77) == 0
    assert book.number(88) == 1
    assert book.number(77) == book.find(77) == 0
    page = np.array([88, 99, 77, 66], np.uint64)
    assert book.numbers(page).tolist() == [1, -1, 0, -1]
    numbers, new = book.enter(page, 1)
    assert (numbers.tolist(), new.tolist()) == ([1, 2, 0, 3], [1, 3])
    assert book.numbers(page).tolist() == [1, 2, 0, 3]
    assert book.parent[:4].tolist() == [-1, -1, 1, 1]
    assert not book.fetched(0)
    assert (book.said(np.array([0], np.intp)) < -1).all()


def test_the_value_of_a_hub_is_its_best_trip() -> None:
    """1/2, 2/3, 2/4 and then 3/5 of the fetches from it on paid: 2/3 stays."""
    book, links = hub(5)
    values = []
    for number, paid in zip(links.tolist(), (1.0, 1.0, 0.0, 1.0), strict=False):
        book.fetch(number, paid)
        values.append(book.value.item(book.page.item(0)))
    assert values == pytest.approx([1 / 2, 2 / 3, 2 / 3, 2 / 3])
    assert book.value[book.page[links[:4]]].tolist() == [1.0, 1.0, 0.0, 1.0]


def test_who_has_risen_is_told_and_by_how_much() -> None:
    book, links = hub(2)
    assert book.fetch(int(links[0]), 0.0) == []
    assert dict(book.fetch(int(links[1]), 1.0)) == {0: pytest.approx(1 / 3)}
    behind = add(book, 1, parent=int(links[0]))
    risen = dict(book.fetch(int(behind[0]), 1.0))
    assert risen == {int(links[0]): pytest.approx(1 / 2), 0: pytest.approx(2 / 4 - 1 / 3)}


def test_nine_pages_back_nobody_is_told() -> None:
    book = Book()
    add(book, 1)
    book.fetch(0, 0.0)
    for number in range(9):
        add(book, 1, parent=number)
        book.fetch(number + 1, float(number == 8))
    values = book.value[book.page[:10]]
    assert values.tolist() == pytest.approx([0, *(1 / n for n in range(9, 0, -1))])


def test_neighbours_learn_what_a_link_was() -> None:
    book, links = hub(5)
    book.fetch(int(links[1]), 1.0)
    assert set(book.tell_neighbours()) == set(links)
    assert book.tell_neighbours().tolist() == []
    everyone = {"SOURCES": 1, "ALIKE": 1, "ALIKE_WORTH": 1}
    near, far = (everyone | {"BESIDE": w, "BESIDE_PAID": w} for w in (1.0, 0.5))
    assert [told(book, number) for number in links] == [near, everyone, near, far, everyone]
    book.fetch(int(links[4]), 0.0)
    book.tell_neighbours()
    assert [told(book, number)["BESIDE"] for number in links[2:4]] == [1.5, 1.5]
    assert told(book, int(links[3])) == everyone | {
        **{"ALIKE": 2, "BESIDE": 1.5, "BESIDE_PAID": 0.5}
    }


def test_news_of_a_list_is_told_at_once_as_it_would_be_one_by_one() -> None:
    books = []
    for together in (True, False):
        book, links = hub(9)
        for number, paid in ((1, 1.0), (4, 0.0), (7, 0.5), (2, 1.0)):
            book.fetch(int(links[number]), paid)
            if not together:
                book.tell_neighbours()
        alike = book.tell_neighbours()
        books.append([told(book, number) for number in links])
        if together:
            assert len(alike) == 9 + 18  # each of the list once, and those beside each
    assert books[0] == books[1]


def test_links_at_the_same_place_as_one_that_led_on_learn_what_it_was_worth() -> None:
    """It paid nothing itself; then the first page behind it paid, 1/2, and the second, 2/3."""
    book, links = hub(4)
    book.fetch(int(links[1]), 0.0)
    behind = add(book, 2, parent=int(links[1]))
    tell(book, behind, [MENU, MENU])
    book.tell_neighbours()
    assert told(book, int(links[3])) == {"SOURCES": 1, "ALIKE": 1, "BESIDE": 0.5}
    worth = []
    for number in behind.tolist():
        book.fetch(number, 1.0)
        assert links.tolist() == sorted(set(book.tell_neighbours()) & set(links.tolist()))
        worth.append(told(book, int(links[3])).pop("ALIKE_WORTH"))
    assert worth == [1 / 2, round(32 * 2 / 3) / 32]
    for number in links[[0, 3]].tolist():
        assert "BESIDE_PAID" not in told(book, number)
    new = add(book, 1, parent=int(behind[0]))
    tell(book, np.array([links[1], new[0]], np.intp), [LIST, LIST])  # a page found later
    assert told(book, int(new[0]))["ALIKE_WORTH"] == worth[-1]
    assert "BESIDE_PAID" not in told(book, int(new[0]))


def test_what_is_foreseen_of_a_link_is_told_to_those_at_the_same_place() -> None:
    book, links = hub(4)
    book.fetch(int(links[1]), 0.0)
    assert book.foresee(int(links[1]), 0.25) == 0.25
    assert book.foresee(int(links[1]), 0.125) == 0  # what is known is more
    book.tell_neighbours()
    assert told(book, int(links[3]))["ALIKE_WORTH"] == 0.25
    assert book.values(links[[1]]).tolist() == [0.25]


@given(st.lists(st.integers(0, 32), min_size=1, max_size=40))
def test_what_a_link_was_worth_adds_up_however_it_rose(paid: list[int]) -> None:
    book, links = hub(2)
    book.fetch(int(links[0]), 0.0)
    for each in paid:
        [number] = add(book, 1, parent=int(links[0])).tolist()
        book.fetch(number, each / 32)
        book.tell_neighbours()
    value = book.values(links[:1]).item()
    assert told(book, int(links[1])).get("ALIKE_WORTH", 0) == round(32 * value) / 32


def test_only_the_same_tag_path_of_the_same_page_is_alike() -> None:
    book, links = hub(2)
    others = add(book, 3, parent=0)
    tell(book, others, [MENU, LIST, MENU])
    book.fetch(int(others[0]), 1.0)
    book.tell_neighbours()
    assert [told(book, number).get("ALIKE", 0) for number in [*links, *others]] == [0, 0, 1, 0, 1]
    assert [told(book, number).get("BESIDE", 0) for number in [*links, *others]] == [
        0,
        0,
        0,
        1,
        0.5,
    ]


def test_a_page_with_links_fetched_before_tells_the_others_of_them() -> None:
    book, links = hub(3)
    book.fetch(int(links[0]), 1.0)
    book.fetch(int(links[2]), 0.0)
    new = add(book, 1, parent=int(links[0]))
    both = np.array([links[0], new[0], links[2]], np.intp)
    tell(book, both, [LIST, LIST, MENU], paid=1.0, talk=0.25)
    assert told(book, int(new[0])) == {
        **{"PAID": 1, "SOURCES": 1, "TALK": 0.25},
        **{"ALIKE": 1, "ALIKE_WORTH": 1, "BESIDE": 2, "BESIDE_PAID": 1},
    }


def test_news_are_of_the_places_that_a_link_had_when_it_was_fetched() -> None:
    """A page found later has the link, too, and tells its own links at once."""
    book, links = hub(2)
    book.fetch(int(links[0]), 1.0)
    new = add(book, 1, parent=int(links[0]))
    tell(book, np.array([links[0], new[0]], np.intp), [LIST, LIST])
    book.tell_neighbours()
    assert told(book, int(new[0])) == {
        **{"SOURCES": 1, "ALIKE": 1, "ALIKE_WORTH": 1, "BESIDE": 1, "BESIDE_PAID": 1}
    }


def test_a_page_that_is_a_quarter_relevant_counts_a_quarter() -> None:
    book, links = hub(4)
    book.fetch(int(links[1]), 0.25)
    book.tell_neighbours()
    assert told(book, int(links[0])) == {
        "ALIKE": 1,
        "ALIKE_WORTH": 0.25,
        "BESIDE": 1,
        "BESIDE_PAID": 0.25,
        "SOURCES": 1,
    }
    assert told(book, int(links[3]))["BESIDE_PAID"] == 0.125


def test_counts_stop_before_they_are_too_large() -> None:
    book, links = hub(3)
    for _ in range(40):
        tell(book, np.repeat(links[:1], 1), [LIST], paid=1.0)
    book._counts[links[1]] = 32_000
    tell(book, links, [LIST] * 3, paid=1.0)
    book.fetch(int(links[0]), 1.0)
    book.tell_neighbours()
    assert told(book, int(links[0]))["PAID"] == 41
    assert all(650 < count <= 875 for count in told(book, int(links[1])).values())


def test_news_of_a_long_list_does_not_overflow() -> None:
    """Nobody asks for the next link meanwhile, as when a killed hunt is told again."""
    book, links = hub(1200)
    tell(book, links, [LIST] * 1200)
    tell(book, links, [LIST] * 1200)
    for number in links.tolist():
        book.fetch(number, 0.0)
    book.tell_neighbours()
    counts = book.counts(links)
    assert counts.min() >= 0
    assert counts[:, Count.ALIKE].min() > 650
    assert counts[:, Count.ALIKE].max() <= 875


def test_rates_stay_when_counts_are_full() -> None:
    book, links = hub(3001)
    for number in links[:-1].tolist():
        book.fetch(number, float(number % 4 == 0))
    book.tell_neighbours()
    last = told(book, int(links[-1]))
    assert 650 < last["ALIKE"] <= 875
    assert last["ALIKE_WORTH"] == pytest.approx(last["ALIKE"] / 4, abs=1)
    for number in range(4000):
        tell(book, links[-1:], [LIST], paid=float(number % 4 == 0), talk=0.5)
    last = told(book, int(links[-1]))
    assert 650 < last["SOURCES"] <= 875
    assert last["TALK"] == pytest.approx(last["SOURCES"] / 2, abs=1)
    assert last["PAID"] == pytest.approx(last["SOURCES"] / 4, abs=1)


@pytest.mark.parametrize("paid", [0.0, 1.0])
def test_corrections_of_more_pages_than_are_counted(paid: float) -> None:
    book, links = hub(1)
    for _ in range(1100):
        tell(book, links, [LIST], paid=paid)
    for _ in range(1100):
        book.correct_links(links, 1 - 2 * paid, -1)
    assert book.count_of(int(links[0]), Count.PAID) == 875 * (1 - paid)


def test_of_what_pages_say_the_most_counts() -> None:
    book = Book()
    numbers = add(book, 1)
    for value in (-0.25, 0.75, 0.5):
        said = np.full((1, len(Said)), value, np.float32)
        said[0, [Said.NEAR, Said.SHALLOW]] = -3
        paths = np.array([LIST], np.uint32)
        book.tell_links(numbers, np.array([0]), in_bytes(said), paths, 0.0, 0.5)
    assert book.said_of(0, Said.ANCHOR) == book.said_of(0, Said.ALONE) == 0.75
    assert book.said_of(0, Said.NEAR) == book.said_of(0, Said.SHALLOW) == -3
    assert told(book, 0) == {"SOURCES": 3, "TALK": 1.5}


# -- another verdict -----------------------------------------------------------------------


def test_a_correction_upwards_is_as_if_it_had_been_so() -> None:
    book, links = hub(4)
    straight, _ = hub(4)
    for number, paid in zip(links.tolist(), (0.0, 1.0, 1.0), strict=False):
        book.fetch(number, float(paid and number != links[1]))
        straight.fetch(number, paid)
    book.tell_neighbours()
    straight.tell_neighbours()
    changed = dict(book.correct(int(links[1]), 1.0))
    book.tell_neighbours()
    assert changed == {int(links[1]): 1.0, 0: pytest.approx(2 / 4 - 1 / 4)}
    assert counts_of(book) == counts_of(straight)
    assert book.value[: book.pages].tolist() == straight.value[: straight.pages].tolist()
    assert book.paid[: book.pages].tolist() == straight.paid[: straight.pages].tolist()


def test_a_correction_downwards_takes_its_share_from_the_way() -> None:
    """The best trip paid 2 of 3 fetches; one of the two was a mistake, 1 of 3 stays."""
    book, links = hub(5)
    for number, paid in zip(links.tolist(), (1.0, 1.0, 0.0, 0.0), strict=False):
        book.fetch(number, paid)
        book.tell_neighbours()
    changed = dict(book.correct(int(links[0]), 0.0))
    book.tell_neighbours()
    assert changed == {int(links[0]): -1.0, 0: pytest.approx(1 / 3 - 2 / 3)}
    assert book.paid_by(int(links[0])) == 0
    assert told(book, int(links[4]))["ALIKE_WORTH"] == 1
    assert told(book, int(links[1])).get("BESIDE_PAID", 0) == 0


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.data())
def test_a_correction_taken_back_leaves_the_counts(
    verdicts: list[bool], data: st.DataObject
) -> None:
    book, links = hub(len(verdicts))
    for number, paid in zip(links.tolist(), verdicts, strict=True):
        book.fetch(number, float(paid))
        book.tell_neighbours()
    counts, paid_before = counts_of(book), book.paid.copy()
    which = data.draw(st.sampled_from(range(len(verdicts))))
    more = 1.0 - 2 * verdicts[which]
    for change in (more, -more):
        now = book.paid_by(int(links[which])) + change
        book.correct(int(links[which]), now)
        book.tell_neighbours()
    assert counts_of(book) == counts
    assert book.paid.tolist() == paid_before.tolist()
    pages = book.value[: book.pages]
    assert ((book.paid[: book.pages] <= pages) & (pages <= 1)).all()


def test_a_correction_changes_what_those_near_the_way_were_told() -> None:
    book, links = hub(3)
    book.fetch(int(links[0]), 0.0)
    [behind] = add(book, 1, parent=int(links[0])).tolist()
    book.fetch(behind, 1.0)
    book.tell_neighbours()
    worth = [told(book, int(links[2])).get("ALIKE_WORTH", 0)]
    for paid in (0.0, 1.0):
        book.correct(behind, paid)
        book.tell_neighbours()
        worth.append(told(book, int(links[2])).get("ALIKE_WORTH", 0))
    assert worth == [1 / 2, 0, 1 / 2]


def test_links_of_a_page_learn_that_it_is_relevant_and_that_it_is_not() -> None:
    book, links = hub(2)
    tell(book, links[:1], [MENU], paid=1.0)  # another, relevant page has the first one, too
    book.say(int(links[1]), Said.NEAR, -3.0)
    book.correct_links(links, 1.0, 0.0)
    assert book.counts(links)[:, Count.PAID].tolist() == [2, 1]
    assert book.said(links)[:, Said.NEAR].tolist() == [0, 0]
    book.correct_links(links, -1.0, -4.0)
    assert book.counts(links)[:, Count.PAID].tolist() == [1, 0]
    assert book.said(links)[:, Said.NEAR].tolist() == [0, -4]


# -- on disk -------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.integers(0, 30))
def test_a_restored_book_goes_on_alike(moves: list[int], cut: int) -> None:
    book, copy = Book(), Book()
    for each in (book, copy):
        add(each, 1)

    def go(each: Book, moves: list[int]) -> None:
        for move in moves:
            waiting = np.flatnonzero(each.page[: each.size] == 0)
            if not len(waiting):
                return
            number = int(waiting[move % len(waiting)])
            each.fetch(number, float(move == 1))
            if move > 1:
                each.tell_neighbours()
            links = np.concatenate([add(each, move + 1, parent=number), [0]]).astype(np.intp)
            tell(each, links, [LIST, MENU, LIST, MENU, LIST][: len(links)], talk=0.5)

    go(book, moves)
    go(copy, moves[:cut])
    restored = Book()
    restored.restore(through_disk(copy.state()))
    go(restored, moves[cut:])
    assert restored.size == book.size
    assert restored.tell_neighbours().tolist() == book.tell_neighbours().tolist()
    for name in ("_said", "_counts", "_talk", "parent", "page", "_places"):
        assert getattr(restored, name)[: book.size].tolist() == (
            getattr(book, name)[: book.size].tolist()
        ), name
    assert restored.value[: book.pages].tolist() == book.value[: book.pages].tolist()
    assert restored.find(1) == 0


def test_of_links_that_are_as_near_those_of_pages_take_turns() -> None:
    book = Book()
    add(book, 1)
    book.fetch(0, 0.0)
    hubs = add(book, 2, parent=0)
    lists = []
    for number in hubs.tolist():
        book.fetch(number, 0.0)
        lists.append(add(book, 3, parent=number))
    waiting = np.concatenate(lists)
    for number in waiting.tolist():
        book.say(number, Said.SHALLOW, -2.0)
    assert waiting[book.nearest(waiting, in_turn=False)] == lists[0][0]
    order = []
    while len(waiting):
        at = book.nearest(waiting, in_turn=True)
        order.append(int(waiting[at]))
        waiting = np.delete(waiting, at)
    assert order == [n for pair in zip(*lists, strict=True) for n in pair]
    again = Book()
    again.restore(book.state())
    assert again._turns.tolist()[:4] == book._turns.tolist()[:4]
