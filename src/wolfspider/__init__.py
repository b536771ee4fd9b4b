"""Wolfspider: a web crawler that learns which links lead to the pages you want."""

from importlib.metadata import version

__version__ = version("wolfspider")
