"""A recording as an HTTP server on loopback: what was recorded is answered as it was recorded.

    bytes → Request → addresses → Index (where the record lies) → Answer → bytes

The index keeps places, not bodies, so memory does not grow with the recording.
"""

from __future__ import annotations

from wolfspider.webs.serving.certificates import Authority, is_throw_away
from wolfspider.webs.serving.index import Index
from wolfspider.webs.serving.server import LOOPBACK, Settings, serving

__all__ = ["LOOPBACK", "Authority", "Index", "Settings", "is_throw_away", "serving"]
