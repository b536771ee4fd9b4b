"""Clues read as true sentences, whatever their numbers are."""

from __future__ import annotations

import numpy as np
import pytest

from wolfspider.clues import naming
from wolfspider.clues.evidence import AT, FEATURES, Evidence
from wolfspider.records import Clue
from wolfspider.topics import Topic


def named(feature: str, value: float) -> str:
    """The name of the clue that a feature with this value gives, where that is not usual."""
    evidence = Evidence(Topic.of("solar eclipse"), 4.0)
    row, weights, usual = np.zeros((3, len(FEATURES)), np.float32)
    row[AT[feature]], weights[AT[feature]] = value, 1.0
    usual[AT[feature]] = 0.0 if value else 1.0
    (clue,) = naming.clues_of(evidence, evidence.sow(1), row, weights.astype(np.float64), usual)
    return naming.name_of(clue, {})


@pytest.mark.parametrize(
    ("feature", "value", "name"),
    [
        ("means_anchor", 0.4, "its first link text is near the topic in meaning"),
        ("means_anchor", -0.1, "its first link text is far from the topic in meaning"),
        ("talk", 0.2, "pages that link to it use the words of relevant pages more than usual"),
        ("talk", -0.2, "pages that link to it use the words of relevant pages less than usual"),
        ("same_host", 1.0, "same host as the first page that links to it"),
        ("same_host", 0.0, "another host than the first page that links to it"),
        ("sources", np.log1p(1), "linked from 1 page"),
        ("sources", np.log1p(6), "linked from 6 pages"),
        ("shallow", -1.0, "1 link away from the seeds"),
        ("near", -2.0, "found 2 links after a relevant page"),
        ("near", 0.0, "found on a relevant page"),
        ("near", -6.0, "found far from any relevant page"),
        ("alone", -3.0, "one of about 19 links of a page that links to it"),
    ],
)
def test_a_clue_says_what_its_number_means(feature: str, value: float, name: str) -> None:
    assert named(feature, value) == name


def test_a_kind_of_another_version_is_told_by_its_name() -> None:
    assert naming.name_of(Clue("smell", 7, 0.1), {}) == "smell"
