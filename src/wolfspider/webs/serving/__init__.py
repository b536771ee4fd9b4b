"""A recording as an HTTP server on loopback: what was recorded is answered as it was recorded.

    bytes → Connection → Request → Counter → Index (where the record lies) → Answer → bytes

The index keeps places, not bodies, so memory does not grow with the recording.
"""

from __future__ import annotations

from wolfspider.webs.serving.certificates import Authority, is_throw_away
from wolfspider.webs.serving.counter import Settings
from wolfspider.webs.serving.index import Index
from wolfspider.webs.serving.server import LOOPBACK, serving

__all__ = ["LOOPBACK", "Authority", "Index", "Settings", "is_throw_away", "serving"]
