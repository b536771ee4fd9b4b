"""What can go wrong at a person's hands. The command line prints the sentence and exits with 2.

WolfspiderError
├── BadInput       what was asked for cannot be; the sentence names it and the way out
└── DamagedFile    a file that cannot be read as what it should be
"""


class WolfspiderError(Exception):
    """A sentence for the person at the keyboard."""


class BadInput(WolfspiderError, ValueError):
    pass


class DamagedFile(WolfspiderError):
    pass


def damage(error: Exception) -> str:
    """What is wrong with a file of arrays. NumPy's advice to trust one that may be anything is
    never repeated."""
    return "it holds no plain arrays" if "pickle" in str(error) else str(error)
