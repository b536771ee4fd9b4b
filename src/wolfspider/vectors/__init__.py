"""Word vectors: what a word means as a point, and how alike texts are by it."""

from wolfspider.vectors.likeness import Likeness
from wolfspider.vectors.nearest import nearest
from wolfspider.vectors.table import WordVectors

__all__ = ["Likeness", "WordVectors", "nearest"]
