"""Relevant is what stands on a list: the judge of experiments, and of people who know the URLs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wolfspider.errors import BadInput
from wolfspider.records import Page, Verdict
from wolfspider.urls import canonical, fingerprint


@dataclass(frozen=True)
class TargetJudge:
    """A page is a target when its address is on the list; its relevance is then 1."""

    fingerprints: frozenset[int]

    @classmethod
    def of(cls, urls: Iterable[str]) -> TargetJudge:
        addresses = {url: canonical(url) for url in urls}
        for url, address in addresses.items():
            if address is None:
                raise BadInput(f"not a web address in the list of targets: {url!r}")
        return cls(frozenset(fingerprint(a) for a in addresses.values() if a is not None))

    def judge(self, page: Page) -> Verdict:
        found = fingerprint(page.url) in self.fingerprints
        return Verdict(float(found), found)
