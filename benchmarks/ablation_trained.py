"""What each part of the trained wolf buys, and how much of what it finds is chance.

python -m benchmarks.ablation_trained tasks.toml … [--web webs/NAME] [--chances 6] [--whole]
                                      [--judge keywords] [--part 1.0] [--without PART]

As benchmarks.ablation, for `wolf-trained`, which learns for each task from what its `train` names.
With --chances the weights with which it begins to learn from the map have 12 % of chance in them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks import ablation
from benchmarks.ablation import instead
from wolfspider.clues.evidence import Evidence
from wolfspider.clues.priors import FIRMNESS, PRIOR
from wolfspider.lab.ground import Ground
from wolfspider.lab.training import map_of
from wolfspider.policies import wolf_trained
from wolfspider.policies.wolf import Wolf
from wolfspider.policies.wolf_trained import TrainedWolf

WHOLE = "the whole trained wolf"
CROSSED = "weights of their own on relevant pages"
FIRM = "firmness of what maps taught"
FORESIGHT = "foresight"
HEARING = "words of further links to a page"
PARTS = (WHOLE, CROSSED, FIRM, FORESIGHT, HEARING)


def trained(ground: Ground, name: str) -> TrainedWolf:
    model = TrainedWolf.train(map_of(ground.web, ground.task))
    if name == FIRM:
        state = {key: value for key, value in model.state.items() if key != "learned"}
        model = replace(model, state=state)
    return TrainedWolf(topic=ground.topic(), model=model)


def hunted(ground: Ground, name: str, chances: int, fetches: int) -> list[float]:
    """Areas of a trained wolf without a part, as often as it learns and hunts."""
    nothing = np.empty(0, np.intp)
    crossed = {"_CROSSED": nothing, "_FIRMNESS": FIRMNESS} if name == CROSSED else {}
    blind = {"_foresee": lambda *_: None} if name == FORESIGHT else {}
    deaf = {"_hear_again": lambda *_: None} if name == HEARING else {}
    found = []
    for chance in range(chances):
        prior = PRIOR * ablation.factors(chance)
        with (
            instead(wolf_trained, PRIOR=prior, **crossed),
            instead(Wolf, **blind),
            instead(Evidence, **deaf),
        ):
            found.append(ablation.area(ground, trained(ground, name), fetches))
    return found


if __name__ == "__main__":
    ablation.run(ablation.read_asked(__doc__, part=1.0), hunted, PARTS)
