"""Pages that a task names: by a label of the web, or as a part of it.

Most webs have no labels of sites. `part:1/3` is the first of three parts into which any web
falls: every page into one of them, by a hash of its address. So a spider can be trained on some
parts and tested on another one, whose pages and links it has never seen.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.records import Fingerprints
from wolfspider.urls import fingerprints
from wolfspider.webs.graph import Mask
from wolfspider.webs.recorded import RecordedWeb

PREFIX = "part:"
_PART = re.compile(r"part:([1-9][0-9]{0,5})/([1-9][0-9]{0,5})", re.ASCII)


def part(number: int, parts: int) -> str:
    """How a task names a part."""
    return f"{PREFIX}{number}/{parts}"


def mask_of(web: RecordedWeb, label: str) -> Mask:
    """Which pages carry a label, or are in a part; a label that is called so goes first."""
    if label in web.about["labels"] or not label.startswith(PREFIX):
        mask = np.zeros(len(web), bool)
        mask[web.label(label)] = True
        return mask
    number, parts = _numbers(label)
    fallen: Mask = _hashes(web) % np.uint64(parts) == number - 1
    return fallen


def _numbers(label: str) -> tuple[int, int]:
    found = _PART.fullmatch(label)
    if not found or int(found[1]) > int(found[2]):
        raise BadInput(
            f"cannot read the part {label!r}; write the second of three parts as part:2/3"
        )
    return int(found[1]), int(found[2])


@lru_cache(maxsize=4)
def _hashes(web: RecordedWeb) -> Fingerprints:
    """A hash of each address.

    The fingerprint is mixed once more (SplitMix64), because it decides other things, too, such
    as the order of start pages.
    """
    mixed = fingerprints([web.url(page) for page in range(len(web))])
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))
