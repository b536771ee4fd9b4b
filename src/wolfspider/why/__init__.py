"""Why a hunt followed a link, or has not followed it yet, for people.

    with open_hunt(folder) as reader:
        story = Teller(reader).tell("https://example.org/page")
        story.found, story.expected, story.clues     # where, how much was hoped for, and why

Everything is read from the folder of the hunt, and nothing is written: receipts and visits from
hunt.db, words from the WARC files or the recorded web, and what waits from the last checkpoint.
"""

from wolfspider.why.overall import Paid, Totals, clues_that_paid
from wolfspider.why.story import First, Found, NamedClue, Other, Story
from wolfspider.why.telling import Teller

__all__ = [
    "First",
    "Found",
    "NamedClue",
    "Other",
    "Paid",
    "Story",
    "Teller",
    "Totals",
    "clues_that_paid",
]
