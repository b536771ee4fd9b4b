"""A hunt as one page, `report.html`: what it found, which clues paid, what is to come.

    with open_hunt(folder) as reader:
        account = Account.of(reader, writer_of(folder))
    write_page(html_of(account), folder / NAME)

The hunt is only read, at one moment, so the page can be made while it runs. Titles, addresses and
anchors are a stranger's words: they are escaped, and only http and https become links.
"""

from wolfspider.hunt_report.account import Account
from wolfspider.hunt_report.page import html_of

NAME = "report.html"

__all__ = ["NAME", "Account", "html_of"]
