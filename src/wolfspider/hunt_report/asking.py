"""How a hunt was asked, in words, from what its hunt.toml says.

The file may be of any version, or changed by hand; what is not there is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wolfspider.wording import near, several

_SEEDS = 10  # shown
_LIVE = "live"
Asked = Mapping[str, Any]


def how_it_was_asked(asked: Asked, began_with: str | None) -> dict[str, str]:
    """Names and values, in the order in which a person would say them."""
    said = {
        "topic": str(asked.get("topic", "")),
        "relevant is": _judge(asked),
        "web": _web(asked),
        "seeds": _listed(_texts(asked, "seeds")),
        "where to": _scope(asked),
        "policy": _policy(asked),
        "began with": began_with or "",
        "budget": _budget(asked) or "none",
        "stops by": ", ".join(_texts(asked, "stop")),
    }
    return {name: value for name, value in said.items() if value}


def _judge(asked: Asked) -> str:
    if asked.get("pattern"):
        return f"what this regular expression finds: {asked['pattern']}"
    if like := _texts(asked, "like"):
        return f"what resembles {several(len(like), 'text')}: {_listed(like)}"
    if examples := _texts(asked, "examples"):
        others = len(_texts(asked, "counter_examples"))
        told_from = f", told from {several(others, 'counter-example')}" if others else ""
        return f"what looks like {several(len(examples), 'example')}{told_from}"
    if targets := _texts(asked, "targets"):
        return f"what is on a list of {several(len(targets), 'address', 'addresses')}"
    return "what has the words of the topic, or words that mean the like"


def _web(asked: Asked) -> str:
    web = str(asked.get("web", _LIVE))
    return "the live web" if web == _LIVE else f"the recorded web {near(Path(web))}"


def _scope(asked: Asked) -> str:
    stay = asked.get("stay_on", "anywhere")
    said = [] if stay == "anywhere" else [f"only the {stay} of the seeds"]
    for name, what in (("include", "only addresses with"), ("exclude", "no addresses with")):
        if patterns := _texts(asked, name):
            said.append(f"{what} {' or '.join(patterns)}")
    return "; ".join(said)


def _policy(asked: Asked) -> str:
    seed = asked.get("random_seed")
    return f"{asked.get('policy', 'best-first')}{f', random seed {seed}' if seed else ''}"


def _budget(asked: Asked) -> str:
    kinds = (("pages", "page"), ("relevant", "relevant page"), ("bytes", "byte"))
    said = [several(most, what) for name, what in kinds if isinstance(most := asked.get(name), int)]
    minutes = asked.get("minutes")
    said += [f"{minutes:g} minutes"] if isinstance(minutes, int | float) else []
    return ", ".join(said)


def _listed(texts: list[str]) -> str:
    more = len(texts) - _SEEDS
    return ", ".join(texts[:_SEEDS]) + (f" and {more:,} more" if more > 0 else "")


def _texts(asked: Asked, name: str) -> list[str]:
    value = asked.get(name)
    return [str(each) for each in value] if isinstance(value, list) else []
