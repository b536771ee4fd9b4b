"""Watching a web that changes: what is new, and how soon do we have it?

A `Watcher` says which address to download next and is told what came: foragers with their
reinforcing agent, or one of two ways of going round. The same watcher runs on a recorded web,
where a clock is moved on by the price of each download, and on the live one.
"""
