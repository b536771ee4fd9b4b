"""A web, described to the end."""

from __future__ import annotations

from typing import Any

from wolfspider.lab.describe.description import Description, Settings, describing
from wolfspider.webs.recorded import RecordedWeb


def described(web: RecordedWeb, **settings: Any) -> Description:
    """The description; what is said to be done never grows less on the way."""
    steps = describing(web, Settings(**settings))
    shares = [0.0]
    while True:
        try:
            shares.append(next(steps)[0])
            assert shares[-2] <= shares[-1] < 1
        except StopIteration as end:
            found: Description = end.value
            return found
