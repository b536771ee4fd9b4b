"""Wolfspider: a web crawler that learns which links lead to the pages you want."""

__version__ = "0.1.0"
