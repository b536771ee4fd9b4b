"""Readers of recordings: each yields `Capture`s, which the compiler makes into a web folder."""
