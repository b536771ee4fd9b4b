"""Models on disk: a folder that people can read, and that is never executed.

model.json    what was trained, on what, with which settings, how well
model.npz     weights and vocabulary, as plain arrays
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from wolfspider import __version__
from wolfspider.errors import BadInput, DamagedFile
from wolfspider.states import add_to_digest, load_state, save_state
from wolfspider.training.model import Model
from wolfspider.webs.new_folder import Beside

FORMAT = 1
_ABOUT, _ARRAYS = "model.json", "model.npz"


def save_model(model: Model, folder: Path) -> None:
    """Write it beside and move it to its place; a folder that exists is refused."""
    new = Beside(folder)
    try:
        words = {
            "ids": np.array(list(model.words), np.uint32),
            "texts": list(model.words.values()),
        }
        save_state(new.path / _ARRAYS, {"state": model.state, "words": words})
        about = {
            "format": FORMAT,
            "wolfspider": __version__,
            "policy": model.policy,
            "settings": dict(model.settings),
            "about": dict(model.about),
        }
        text = json.dumps(about, indent=1, ensure_ascii=False)
        (new.path / _ABOUT).write_text(text, "utf-8")
        new.put()
    finally:
        new.leave()


def load_model(folder: Path) -> Model:
    """The model in a folder; `BadInput` or `DamagedFile` say why there is none."""
    about = _about(folder)
    if about.get("format") != FORMAT:
        raise BadInput(
            f"the model {folder} has format {about.get('format')}, this version reads {FORMAT}; "
            "train it again"
        )
    try:
        saved = load_state(folder / _ARRAYS)
        ids = saved["words"]["ids"]
        words = dict(zip(ids.tolist(), saved["words"]["texts"], strict=True))
        policy, settings, provenance = about["policy"], about["settings"], about["about"]
        if not (
            isinstance(policy, str) and isinstance(settings, dict) and isinstance(provenance, dict)
        ):
            raise TypeError("policy, settings or about are not what they should be")
        return Model(policy, settings, saved["state"], ids, words, provenance)
    except (DamagedFile, KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedFile(f"the model {folder} is damaged ({error}); train it again") from error


def digest_of(model: Model) -> str:
    """Of what decides how the model judges: two trainings alike give the same."""
    digest = hashlib.sha256(
        json.dumps([model.policy, dict(model.settings)], sort_keys=True).encode()
    )
    add_to_digest(digest, model.state)
    return digest.hexdigest()[:16]


def _about(folder: Path) -> dict[str, Any]:
    try:
        about = json.loads((folder / _ABOUT).read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput(
            f"there is no model in {folder}; make one with: wolfspider train POLICY …"
        ) from None
    except OSError as error:
        raise BadInput(f"cannot read the model {folder}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"{folder / _ABOUT} is damaged ({error}); train it again") from error
    if not isinstance(about, dict):
        raise DamagedFile(f"{folder / _ABOUT} is damaged; train it again")
    return about
