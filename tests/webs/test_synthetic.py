"""A generated web is read back here as a stranger would read it: WARC, HTML, links."""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import numpy as np
import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser
from warcio.archiveiterator import ArchiveIterator as SecondOpinion

from wolfspider.webs.synthetic import Record, Summary, Synthetic
from wolfspider.webs.synthetic.wordlists import GENERIC

WEB = Synthetic(pages=1500, hosts=30, topics=8, seed=3)
SMALL = "Synthetic(pages=200, hosts=8, topics=3, seed={})"
IN_TEXT = "article p a, #main p a, td p a"
Edges = NDArray[np.int64]


@dataclass
class Reading:
    """A web read back from its WARC; pages are numbered in the order of the file."""

    summary: Summary
    warc: Path
    urls: list[str]
    status: dict[str, int]
    moved: dict[str, str]
    labels: dict[str, set[str]]
    topic: list[str]  # of each page; empty: none
    links: Edges  # rows (source, target) between pages, all different
    text_links: Edges  # those in sentences
    anchors: list[str]  # of links in sentences
    lost: int  # links to addresses that answer 404


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Reading:
    folder = tmp_path_factory.mktemp("web")
    warc, table = folder / "web.warc.gz", folder / "labels.tsv"
    summary = WEB.write(warc, table)
    rows = [line.split("\t") for line in table.read_text().splitlines()]
    assert rows[0] == ["url", "label"]
    labels: dict[str, set[str]] = {}
    for url, label in rows[1:]:
        labels.setdefault(url, set()).add(label)
    return read(summary, warc, labels)


def read(summary: Summary, warc: Path, labels: dict[str, set[str]]) -> Reading:
    status: dict[str, int] = {}
    moved: dict[str, str] = {}
    bodies: dict[str, bytes] = {}
    with warc.open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
            url = record.headers["WARC-Target-URI"]
            assert url, "an answer without an address"
            assert url not in status, "two answers for one address"
            status[url] = record.http_headers.status_code or 0
            moved |= {url: record.http_headers["Location"]} if status[url] == 301 else {}
            bodies |= {url: record.reader.read()} if status[url] == 200 else {}
    urls = list(bodies)
    number = {url: page for page, url in enumerate(urls)}
    links: list[tuple[int, int]] = []
    text_links: list[tuple[int, int]] = []
    anchors, lost = [], 0
    for page, url in enumerate(urls):
        tree = LexborHTMLParser(bodies[url])
        for chosen, selector in ((links, "a"), (text_links, IN_TEXT)):
            for node in tree.css(selector):
                target = urldefrag(urljoin(url, node.attributes["href"] or "")).url
                target = moved.get(target, target)
                lost += chosen is links and status[target] == 404
                if target in number:
                    chosen.append((page, number[target]))
        anchors += [node.text() for node in tree.css(IN_TEXT)]
    topic = [next(iter(labels[url] & set(summary.topics)), "") for url in urls]
    edges, text = np.array(links), np.array(text_links)
    return Reading(summary, warc, urls, status, moved, labels, topic, edges, text, anchors, lost)


def distances(web: Reading) -> NDArray[np.int64]:
    """Clicks from the start; -1: out of reach."""
    distance = np.full(len(web.urls), -1)
    distance[web.urls.index(web.summary.start)] = 0
    for step in range(len(web.urls)):
        found = web.links[distance[web.links[:, 0]] == step, 1]
        found = found[distance[found] < 0]
        if not len(found):
            break
        distance[found] = step + 1
    return distance


def clustering(edges: Edges, pages: int) -> float:
    """The mean over pages of the share of neighbours that are neighbours of each other."""
    near = np.zeros((pages, pages), np.float32)
    near[edges[:, 0], edges[:, 1]] = near[edges[:, 1], edges[:, 0]] = 1
    np.fill_diagonal(near, 0)
    degree = near.sum(axis=1)
    closed = ((near @ near) * near).sum(axis=1)
    return float(np.mean(closed / np.maximum(degree * (degree - 1), 1)))


def digest_in_new_process(seed: int, hash_seed: str, folder: Path) -> str:
    code = (
        "import sys; from pathlib import Path; from wolfspider.webs.synthetic import Synthetic;"
        f"{SMALL.format(seed)}.write(*map(Path, sys.argv[1:]))"
    )
    files = [folder / f"{hash_seed}.warc.gz", folder / f"{hash_seed}.tsv"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    subprocess.run([sys.executable, "-c", code, *map(str, files)], check=True, env=environment)
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def test_same_seed_gives_the_same_bytes_whatever_the_hash_seed(tmp_path: Path) -> None:
    digests = {digest_in_new_process(5, hash_seed, tmp_path) for hash_seed in ("1", "2")}
    assert len(digests) == 1
    assert digests != {digest_in_new_process(6, "1", tmp_path)}


def test_records_are_what_is_written(web: Reading) -> None:
    records = list(WEB.records())
    assert {record.url: record.status for record in records} == web.status
    assert {r.url: set(r.labels) for r in records if r.labels} == web.labels
    assert isinstance(records[0], Record)
    assert records[0].url == web.summary.start


def test_summary_counts_what_is_there(web: Reading) -> None:
    assert web.summary.pages == len(web.urls) == WEB.pages
    assert web.summary.hosts == len({urlsplit(url).hostname for url in web.urls}) == WEB.hosts
    assert web.summary.links == len(web.links) + web.lost
    assert set(web.summary.topics) == set(web.topic) - {""}
    assert web.summary == WEB.summary()


def test_out_degree_is_as_asked(web: Reading) -> None:
    degrees = np.bincount(web.links[:, 0], minlength=len(web.urls))
    assert degrees.mean() == pytest.approx(WEB.links, rel=0.1)
    assert degrees.std() > 0.4 * degrees.mean()


def test_no_host_is_real(web: Reading) -> None:
    endings = {str(urlsplit(url).hostname).rsplit(".", 1)[1] for url in web.status}
    assert endings <= {"example", "test"}


def test_warcio_fastwarc_and_gzip_accept_the_file(web: Reading) -> None:
    passed = []
    with web.warc.open("rb") as stream:
        for record in SecondOpinion(stream, check_digests="raise"):
            record.raw_stream.read()  # the digest is known at the end
            passed.append(record.digest_checker.passed)
    assert passed == [True] * (len(web.status) + 1)  # and the warcinfo
    with web.warc.open("rb") as stream:
        assert all(r.verify_block_digest() for r in ArchiveIterator(stream, parse_http=False))
    subprocess.run(["gzip", "-t", str(web.warc)], check=True)


def test_each_record_is_a_gzip_member_without_a_date(web: Reading) -> None:
    with web.warc.open("rb") as stream:
        offsets = [record.stream_pos for record in ArchiveIterator(stream)]
    data = web.warc.read_bytes()
    for begin, end in zip(offsets, [*offsets[1:], len(data)], strict=True):
        assert data[begin + 4 : begin + 8] == bytes(4)
        assert gzip.decompress(data[begin:end]).startswith(b"WARC/1.1\r\n")


def test_every_page_can_be_reached_from_the_start(web: Reading) -> None:
    assert distances(web).min() == 0


@pytest.mark.parametrize(
    "shape",
    [
        Synthetic(pages=150, hosts=8, topics=3, seed=1),
        Synthetic(pages=300, hosts=12, topics=10, trap=0, tunnels=0.5, links=5, seed=2),
        Synthetic(pages=300, hosts=5, topics=2, general=1, hubs=1, redirects=1, gone=1, locality=0),
        Synthetic(pages=200, hosts=5, topics=2, general=0, hubs=0, redirects=0, gone=0, locality=1),
        Synthetic(pages=900, hosts=45, topics=40, trap=0.5, attachment=0, anchor_noise=1, words=20),
    ],
)
def test_every_page_of_odd_webs_can_be_reached_too(shape: Synthetic, tmp_path: Path) -> None:
    summary = shape.write(tmp_path / "web.warc.gz", tmp_path / "deep" / "labels.tsv")
    labels = {record.url: set(record.labels) for record in shape.records() if record.labels}
    small = read(summary, tmp_path / "web.warc.gz", labels)
    assert distances(small).min() == 0
    assert set(small.topic) - {""} == set(summary.topics)


def test_topics_lie_at_many_distances(web: Reading) -> None:
    distance, topic = distances(web), np.array(web.topic)
    assert distance.max() >= 6
    for name in web.summary.topics:
        assert len(np.unique(distance[topic == name])) >= 4


def test_few_pages_take_many_links(web: Reading) -> None:
    degrees = np.sort(np.bincount(web.links[:, 1], minlength=len(web.urls)))[::-1]
    assert degrees[: len(degrees) // 100].sum() > 0.1 * degrees.sum()  # evenly drawn: 0.015
    assert degrees.max() > 20 * np.median(degrees)


def test_pages_cluster_more_than_chance_and_degrees_explain(web: Reading) -> None:
    rewired = web.links.copy()
    rewired[:, 1] = np.random.default_rng(0).permutation(rewired[:, 1])
    ours, chance = (clustering(edges, len(web.urls)) for edges in (web.links, rewired))
    assert ours > 2.0 * chance


def test_pages_of_a_topic_link_to_their_topic(web: Reading) -> None:
    topic = np.array(web.topic)
    source, target = topic[web.text_links].T
    share = (source == target)[source != ""].mean()
    assert WEB.locality - 0.05 < share < WEB.locality + 0.15  # links to anywhere hit it, too


def test_hosts_differ_widely_in_size(web: Reading) -> None:
    sizes = sorted(Counter(urlsplit(url).hostname for url in web.urls).values())
    assert sizes[-1] > 10 * sizes[len(sizes) // 2]


def test_tunnels_hide_targets_behind_pages_off_topic(web: Reading) -> None:
    topic = np.array(web.topic)
    parents = {page: set[int]() for page in range(len(web.urls))}
    for source, target in web.links.tolist():
        parents[target].add(source)
    tunnels = {page for page, url in enumerate(web.urls) if "role:tunnel" in web.labels[url]}
    behind = [
        page for page in parents if topic[page] and parents[page] and parents[page] <= tunnels
    ]
    assert len(behind) > 0.05 * np.count_nonzero(topic)
    assert not topic[sorted(tunnels)].any()


def test_the_trap_is_one_host_off_topic_that_keeps_its_visitors(web: Reading) -> None:
    trap = np.array(["role:trap" in web.labels[url] for url in web.urls])
    assert trap.mean() == pytest.approx(WEB.trap, abs=0.01)
    assert len({urlsplit(web.urls[page]).hostname for page in np.flatnonzero(trap)}) == 1
    assert not np.array(web.topic)[trap].any()
    assert trap[web.links[trap[web.links[:, 0]], 1]].mean() > 0.9


def test_some_anchors_say_nothing(web: Reading) -> None:
    generic = np.mean([anchor in GENERIC for anchor in web.anchors])
    assert generic == pytest.approx(WEB.anchor_noise / 2, abs=0.02)


def test_some_pages_moved_and_some_are_gone(web: Reading) -> None:
    assert 0.03 < len(web.moved) / len(web.urls) < 0.07
    assert all(web.status[target] == 200 for target in web.moved.values())
    gone = sum(status == 404 for status in web.status.values())
    assert gone == round(WEB.gone * WEB.pages)
    assert web.lost >= gone


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"pages": 10}, r"pages is 10, too few for 40 hosts and 12 topics; give at least \d+"),
        ({"hosts": 5}, "hosts is 5, too few for 12 topics, .*; give at least 14"),
        ({"topics": 1}, "topics is 1; a web needs at least 2"),
        ({"locality": 1.5}, "locality is 1.5; it must lie between 0.0 and 1.0"),
        ({"anchor_noise": float("nan")}, "anchor_noise is nan; it must lie between"),
        ({"trap": 0.9}, "trap is 0.9; it must lie between 0.0 and 0.5"),
        ({"links": 1}, "links is 1; it must lie between 5 and 500"),
        ({"words": 0}, "words is 0; it must lie between"),
        ({"attachment": 1.0}, "attachment is 1.0; it must lie between"),
        ({"seed": -1}, "seed is -1; it must be 0 or more"),
    ],
)
def test_nonsense_is_answered_with_a_sentence(change: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Synthetic(**change)  # type: ignore[arg-type]
