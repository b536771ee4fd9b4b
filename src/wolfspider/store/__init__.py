"""A hunt on disk, in a folder that other tools can read.

    hunt.toml             what was asked
    hunt.db               SQLite: pages, receipts, captures, files, checkpoints …; see `schema`
    00001.warc.gz …       every answer as it came, in WARC; live hunts only
    feedback.jsonl        what a person said about pages
    checkpoint-….npz      what the policy and the web had in mind; no pickle
    lock                  held by the process that writes

Commit order, on which everything rests: bytes of the WARC file, fsync, then the transaction that
names their offset and length. What stands behind the last committed byte is cut off when the
hunt is opened again.
"""

from wolfspider.store.asked import read_asked
from wolfspider.store.hunt_store import HuntStore
from wolfspider.store.reading import HuntReader, Kept

__all__ = ["HuntReader", "HuntStore", "Kept", "read_asked"]
