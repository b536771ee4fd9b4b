"""Judges: how relevant is a fetched page, and is it a target?

Every judge scales its relevance so that 0.5 is where a page begins to count as relevant.
"""

from wolfspider.judges.classifier import ClassifierJudge
from wolfspider.judges.corrected import CorrectedJudge
from wolfspider.judges.cosine import CosineJudge
from wolfspider.judges.keywords import KeywordJudge
from wolfspider.judges.pattern import PatternJudge
from wolfspider.judges.targets import TargetJudge

__all__ = [
    "ClassifierJudge",
    "CorrectedJudge",
    "CosineJudge",
    "KeywordJudge",
    "PatternJudge",
    "TargetJudge",
]
