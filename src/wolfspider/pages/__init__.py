"""HTML → Page.

body → tame → encodings → outline (one walk over the tree) → parsing (terms, links) → Page
"""

from wolfspider.pages.encodings import detect_encoding
from wolfspider.pages.parsing import is_html, parse, parse_html, tag_paths

__all__ = ["detect_encoding", "is_html", "parse", "parse_html", "tag_paths"]
