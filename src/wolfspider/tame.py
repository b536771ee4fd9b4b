"""Pages built to make an HTML parser run wild, cut to a beginning that can be parsed.

The parser follows the HTML standard, and the standard has steps that look at every open element
for every new one: 100,000 nested `div`s take it half a minute, 500 unclosed `font`s before 5,000
`p`s make 2.5 million nodes. No honest page comes near, so most pages are only counted here.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

MAX_BODY = 4 << 20  # bytes of a page that are read
MAX_DEPTH = 512  # nested elements, as in browsers
MAX_ATTRIBUTES = 1000  # of one element
CALM_TAGS = 4000  # so few tags cannot do much harm
CALM_SIZE = 1 << 16  # nor can so few bytes of attributes
_FIRST_LOOK = 1 << 14  # bytes
_ENDLESS = 1 << 13  # bytes of a tag that make it worth counting its attributes
_ATTRIBUTE = re.compile(
    rb"[\s/]++[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+)?+)?+"
)
_TAG = re.compile(rb"<[a-zA-Z][^\s/>]*+(?:%b)*+" % _ATTRIBUTE.pattern)


def tame(body: bytes) -> bytes:
    """The body, or a beginning of it that the parser gets through in about a second at worst.

    Cut are bodies of more than `MAX_BODY` bytes, and those with thousands of tags that nest
    deeper than `MAX_DEPTH` or multiply, or with a tag of more than `MAX_ATTRIBUTES` attributes.
    """
    body = body[:MAX_BODY]
    if len(body) > CALM_SIZE:
        body = _before_endless_tag(body)
    if body.count(b"<") > CALM_TAGS:
        body = _before_wilderness(body)
    return body


def _before_endless_tag(body: bytes) -> bytes:
    for tag in _TAG.finditer(body):
        start, end = tag.span()
        if end - start > _ENDLESS and _attributes(tag[0]) > MAX_ATTRIBUTES:
            return body[:start]
    return body


def _attributes(tag: bytes) -> int:
    return sum(1 for _ in _ATTRIBUTE.finditer(tag))


def _before_wilderness(body: bytes) -> bytes:
    """Looks at beginnings of doubling size: what the last look did not see costs at most 4 ×."""
    size = _FIRST_LOOK
    while size < len(body):
        if _is_wild(LexborHTMLParser(body[:size]), size):
            return body[: size // 2]
        size *= 2
    return body if not _is_wild(LexborHTMLParser(body), size) else body[: size // 2]


def _is_wild(tree: LexborHTMLParser, most_nodes: int) -> bool:
    """Whether the tree is too deep or has more nodes than its text has bytes."""
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
