"""Which addresses may be connected to.

Every address is checked when the socket is opened, after DNS has had its say: a name that
resolves to an inside address, or to a public one first and an inside one later, gets nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

_NAT64 = ip_network("64:ff9b::/96")
_TEREDO = ip_network("2001::/32")
_MORE_INSIDE = (
    ip_network("100.64.0.0/10"),  # carrier-grade NAT
    ip_network("192.88.99.0/24"),  # 6to4 relays
    ip_network("192.0.0.0/24"),  # protocols
    ip_network("198.18.0.0/15"),  # benchmarks
    ip_network("64:ff9b:1::/48"),  # NAT64 of the local network; where IPv4 stands in it, it knows
    ip_network("3fff::/20"),  # documentation
    ip_network("fec0::/10"),  # site-local, of old
)


@dataclass(frozen=True)
class Guard:
    """Lets connections go to public addresses, and to what was named by hand.

    `allowed_hosts` are names or addresses as they stand in URLs, as in --allow-host localhost.
    `allowed_addresses` may be connected to whatever the host, as in --connect-to.
    """

    allowed_hosts: frozenset[str] = field(default_factory=frozenset)
    allowed_addresses: frozenset[str] = field(default_factory=frozenset)

    def permits(self, host: str, address: str) -> bool:
        """Whether a connection to this address may be opened on behalf of this host."""
        return self.names(host) or address in self.allowed_addresses or is_public(address)

    def names(self, host: str) -> bool:
        """Whether this host, with or without port, was named by hand."""
        return name_of(host) in self.allowed_hosts


def name_of(host: str) -> str:
    """A host without its port and brackets: `a:1` and `[::1]:1` have one, `::1` does not."""
    name = host.rsplit(":", 1)[0] if host.count(":") == 1 or "]:" in host else host
    return name.strip("[]").lower()


@lru_cache(maxsize=65536)
def is_public(address: str) -> bool:
    """Whether an address belongs to the public internet, whatever way it is written.

    Addresses that wrap another one (IPv4-mapped, NAT64, 6to4, Teredo) are as good as the
    address inside; what cannot be read is not public.
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, IPv6Address):
        inner = _inner(found)
        if inner is not None:
            return _is_outside(inner)
    return _is_outside(found)


def _inner(address: IPv6Address) -> IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address in _TEREDO:
        return address.teredo[1] if address.teredo is not None else None
    if int(address) >> 32 == 0 and int(address) > 1:  # ::a.b.c.d, of old
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def _is_outside(address: IPv4Address | IPv6Address) -> bool:
    return address.is_global and not (
        address.is_multicast
        or address.is_private
        or address.is_reserved
        or any(address in network for network in _MORE_INSIDE if network.version == address.version)
    )
