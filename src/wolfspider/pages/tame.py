"""Pages built to make an HTML parser run wild, made harmless before they are parsed.

The parser follows the HTML standard, and the standard asks it for much work on little markup:

- a new element looks at all that are open: 100,000 nested `div`s take half a minute;
- a new paragraph opens again every unclosed `font`: 30 KB can ask for four million nodes;
- a new attribute is compared with all before it: 50,000 on one element take ten seconds.

No honest page comes near, so most pages are only counted here. This holds off what is known, not
every attack: who crawls hostile webs should also cap the memory of the process.
"""

from __future__ import annotations

import re

import numpy as np
from selectolax.lexbor import LexborHTMLParser

MAX_BODY = 2 << 20  # bytes of a page that are read
MAX_TAGS = 60_000  # of those
MAX_DEPTH = 512  # nested elements, as in browsers
MAX_ATTRIBUTES = 1000  # of one element
MAX_REOPENED = 500_000  # nodes that unclosed formatting may add

_CALM_TAGS = 1000  # so few cannot reopen much
_CALM_DEPTH = 4000  # so few cannot nest to any harm
_CALM_SIZE = 1 << 16  # bytes that cannot hold enough attributes
_ENDLESS = 1 << 13  # bytes of a tag that make it worth counting its attributes
_FIRST_LOOK = 1 << 14  # bytes

_ATTRIBUTE = re.compile(
    rb"[\s/]++[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+)?+)?+"
)
_TAG = re.compile(rb"<[a-z][^\s/>]*+(?:%b)*+" % _ATTRIBUTE.pattern, re.IGNORECASE)
# Without attributes they are all alike, and of those that are alike at most three are reopened.
# `a` and `nobr` are not here: a second one closes the first.
_FORMATTING = re.compile(
    rb"(<(?=[bcefistu])(?:[bisu]|big|code|em|font|small|strike|strong|tt))[\s/][^>]*", re.IGNORECASE
)


def tame(body: bytes) -> bytes:
    """The body, or as much of it as the parser gets through in about a second at worst.

    Of more than `MAX_BODY` bytes or `MAX_TAGS` tags the beginning is read. A page that has
    thousands of tags and nests them deeper than `MAX_DEPTH`, or a big page with more than
    `MAX_ATTRIBUTES` attributes on one tag, is cut some way before. Where formatting tags with
    attributes (`<font size=2>`) could be reopened more than `MAX_REOPENED` times, they lose them.
    """
    body = body[:MAX_BODY]
    tags = int(np.count_nonzero(np.frombuffer(body, np.uint8) == ord("<")))
    if tags > MAX_TAGS:
        body, tags = body[: _place_of_tag(body, MAX_TAGS)], MAX_TAGS
    if tags > _CALM_TAGS and len(_FORMATTING.findall(body)) * tags > MAX_REOPENED:
        body = _FORMATTING.sub(rb"\1", body)
    if len(body) > _CALM_SIZE:
        body = _before_endless_tag(body)
    return _before_deep_nesting(body) if tags > _CALM_DEPTH else body


def _place_of_tag(body: bytes, number: int) -> int:
    return int(np.flatnonzero(np.frombuffer(body, np.uint8) == ord("<"))[number])


def _before_endless_tag(body: bytes) -> bytes:
    for tag in _TAG.finditer(body):
        start, end = tag.span()
        if end - start > _ENDLESS and _attributes(tag[0]) > MAX_ATTRIBUTES:
            return body[:start]
    return body


def _attributes(tag: bytes) -> int:
    return sum(1 for _ in _ATTRIBUTE.finditer(tag))


def _before_deep_nesting(body: bytes) -> bytes:
    """Looks at beginnings of doubling size: what no look has seen costs at most four times as
    much as the last."""
    size = _FIRST_LOOK
    while size < len(body):
        if _is_wild(LexborHTMLParser(body[:size]), size):
            return body[: size // 2]
        size *= 2
    return body


def _is_wild(tree: LexborHTMLParser, most_nodes: int) -> bool:
    """Whether the tree is too deep, or has more nodes than the page has bytes."""
    node, depth, nodes = tree.root, 0, 0
    while node is not None:
        nodes += 1
        child = node.first_child
        if child is not None:
            node, depth = child, depth + 1
            if depth > MAX_DEPTH or nodes > most_nodes:
                return True
            continue
        while node is not None and node.next is None:
            node, depth = node.parent, depth - 1
        node = node.next if node is not None else None
    return False
