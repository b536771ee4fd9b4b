"""What a person may decide about a live crawl."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass, field
from pathlib import Path

from wolfspider import __version__
from wolfspider.errors import BadInput
from wolfspider.urls import canonical
from wolfspider.webs.live.budgets import Shares
from wolfspider.webs.live.limits import Limits
from wolfspider.webs.live.pace import Pace

AGENT = "wolfspider"


@dataclass(frozen=True)
class LiveSettings:
    """How a live crawl behaves. The defaults are those of a polite guest."""

    contact: str = ""  # where people find out who crawls; public hosts are not asked without
    allow_hosts: tuple[str, ...] = ()  # inside hosts that may be asked all the same
    stay_on: str = "anywhere"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    at_once: int = 16  # in flight; the more, the faster, and the less choosy a crawl is
    tries: int = 3  # of a request that failed in a way that may pass
    most_redirects: int = 10
    sitemaps: bool = True
    cookies: bool = False
    proxy: str = ""
    connect_to: str = ""  # host:port that plays all hosts
    authorities: str = ""  # file of certificates to trust, instead of the system's
    parsers: int = 2  # processes
    pace: Pace = field(default_factory=Pace)
    limits: Limits = field(default_factory=Limits)
    shares: Shares = field(default_factory=Shares)

    def __post_init__(self) -> None:
        for name, least in (("at_once", 1), ("tries", 1), ("most_redirects", 0), ("parsers", 1)):
            if getattr(self, name) < least:
                option = f"--{name.replace('_', '-')}"
                raise BadInput(f"{option} must be at least {least}, not {getattr(self, name)}")
        if self.authorities and not Path(self.authorities).is_file():
            raise BadInput(f"there is no file {self.authorities} with certificates to trust")
        if self.authorities and not _has_certificates(self.authorities):
            raise BadInput(
                f"{self.authorities} holds no certificate that can be read; give a PEM file, "
                "where each begins with -----BEGIN CERTIFICATE-----"
            )
        if self.connect_to and not _is_host_and_port(self.connect_to):
            raise BadInput(
                f"--connect-to is {self.connect_to!r}; write it as HOST:PORT, as in 127.0.0.1:8080"
            )
        if self.proxy and not _is_proxy(self.proxy):
            raise BadInput(
                f"--proxy is {self.proxy!r}; write it as a URL, as in http://127.0.0.1:3128 or "
                "socks5h://127.0.0.1:1080"
            )
        if self.contact and not _is_contact(self.contact):
            raise BadInput(
                f"the contact {self.contact!r} is neither a web address nor an e-mail address; "
                "give one such as https://example.org/crawler or crawler@example.org"
            )

    @property
    def user_agent(self) -> str:
        about = f" (+{self.contact})" if self.contact else ""
        return f"{AGENT}/{__version__}{about}"


def _has_certificates(file: str) -> bool:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(file)
    except OSError:  # as SSLError is
        return False
    return context.cert_store_stats()["x509"] > 0


def _is_host_and_port(text: str) -> bool:
    found = re.fullmatch(r"(?:\[[^]]+\]|[^:\s]+):(\d{1,5})", text)
    return found is not None and 0 < int(found[1]) < 1 << 16


def _is_proxy(text: str) -> bool:
    return re.fullmatch(r"(?:https?|socks(?:4a?|5h?))://[^\s/?#]+/?", text) is not None


def _is_contact(text: str) -> bool:
    if any(not c.isprintable() or c in " ()<>" for c in text):
        return False
    name, at, domain = text.removeprefix("mailto:").partition("@")
    if at and "/" not in name:
        return bool(name) and "." in domain and "@" not in domain
    return text.startswith(("http://", "https://")) and canonical(text) is not None
