"""A page in one file: what its template may use, and how it comes to disk."""

from __future__ import annotations

import os
import unicodedata
from contextlib import suppress
from pathlib import Path

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from wolfspider.errors import BadInput

_MARK = b'<meta name="generator" content="wolfspider">'
_NEAR = 1024  # bytes in which the mark stands
_UNFIT = ("Cc", "Cs", "Zl", "Zp")


def environment(package: str) -> Environment:
    """Templates of a package, with `style.css` of this room. Everything is escaped; a name that
    a template uses and nobody gave is a mistake."""
    loaders = [PackageLoader(package), PackageLoader("wolfspider.drawing")]
    made = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["shown"] = shown
    return made


def shown(text: object) -> str:
    """A text without what no page can show: control characters, line ends, half characters."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in _UNFIT else c for c in str(text)
    )


def write_page(html: str, path: Path) -> None:
    """Write a page: beside, then renamed, so that a reader never sees half of it."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(html, encoding="utf-8", errors="replace")
        os.replace(beside, path)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise BadInput(f"cannot write the page {path}: {error.strerror or error}") from error


def demand_free(path: Path) -> None:
    """Nothing may be there yet, or a page that `write_page` wrote: others stay as they are."""
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file with -o")
    if os.path.lexists(path) and not is_page(path):
        raise BadInput(f"{path} exists and is no page of this command; name another with -o")


def is_page(path: Path) -> bool:
    """Whether a file begins like a page that says it is ours. Never raises."""
    try:
        if not path.is_file():  # a pipe would have us wait
            return False
        with path.open("rb") as file:
            return _MARK in file.read(_NEAR)
    except OSError:
        return False
