"""What clues were worth on other webs: weights to begin with, and how firm they are.

A weight with firmness f moves when examples that speak for another one weigh more than f together.
Fitted by empirical Bayes to hunts on WebKB, Wikipedia for Schools and a generated web (the mean
over tasks, one over the variance), rounded, a few set by hand: `python -m benchmarks.wolf_priors`.
Those of words are from when words counted by their mean, scaled to their sum over its root; that
of links alike is from when these counted by what they paid, and not by what they were worth.
"""

from __future__ import annotations

import numpy as np

from wolfspider.clues.evidence import FEATURES

_PRIORS = {  # feature → weight, firmness
    "bias": (-2.5, 1.0),
    "anchor": (0.5, 2.0),  # likeness to the topic
    "context": (0.8, 1.5),
    "heading": (1.1, 1.7),
    "url": (3.0, 0.4),
    "page": (0.0, 1.8),
    "led_by": (1.1, 0.3),
    "source_url": (0.5, 0.9),
    "title": (1.1, 0.8),
    "means_anchor": (1.75, 0.3),
    "means_context": (1.0, 4.0),
    "means_heading": (0.0, 1.0),
    "means_url": (0.6, 1.0),
    "same_host": (0.1, 4.0),
    "same_folder": (-0.9, 5.0),
    "upward": (0.1, 2.0),
    "near": (-0.05, 60.0),
    "shallow": (0.1, 60.0),
    "alone": (0.0, 36.0),
    "sources_paid": (0.4, 14.0),
    "alike_worth": (0.33, 30.0),
    "beside_paid": (0.2, 50.0),
    "some_paid": (-0.6, 3.0),
    "talk": (1.1, 2.5),
    "sources": (-0.2, 39.0),
    "rate_anchor": (0.67, 18.0),
    "rate_context": (0.6, 13.6),
    "rate_heading": (0.14, 78.0),
    "rate_url": (0.07, 15.0),
    "rate_source": (0.07, 66.0),
    "rate_path": (0.1, 37.0),
    "rate_template": (0.1, 33.0),
    "rate_host": (-0.1, 9.5),
    "rate_folder": (0.25, 3.6),
    "rate_shape": (0.13, 6.0),
    "talk_anchor": (0.2, 6.8),
    "talk_context": (0.27, 3.6),
    "talk_heading": (0.0, 26.0),
    "talk_url": (0.9, 1.5),
}
PRIOR, FIRMNESS = np.array([_PRIORS[name] for name in FEATURES]).T
