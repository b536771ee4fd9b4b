"""A throw-away certificate authority: it vouches for whatever host a client asks for.

Its key exists in the memory of this process only and ends with it, so nobody who once trusted
the certificate can be deceived by it later.
"""

from __future__ import annotations

import ssl
from collections import OrderedDict
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from secrets import token_bytes
from tempfile import TemporaryDirectory

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

NAME = "wolfspider web serve (throw-away)"
_DAYS = timedelta(days=30)  # browsers refuse certificates of hosts that hold for years
_CONTEXTS = 1000  # hosts for which a context is kept
_LONGEST_NAME = 64  # characters of a common name


class Authority:
    """Makes TLS contexts for hosts; clients that trust `certificate` trust all of them."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._host_key = ec.generate_private_key(ec.SECP256R1())  # one is enough for all hosts
        self._password = token_bytes(32).hex().encode()
        self._packed_key = self._host_key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(self._password),
        )
        self._name = _name(NAME)
        self._certificate = self._own_certificate()
        self._contexts: OrderedDict[str, ssl.SSLContext] = OrderedDict()

    @property
    def certificate(self) -> bytes:
        """To be trusted by clients, as PEM."""
        return self._certificate.public_bytes(serialization.Encoding.PEM)

    def context(self, host: str) -> ssl.SSLContext:
        """How to be this host."""
        found = self._contexts.pop(host, None) or self._make(host)
        self._contexts[host] = found
        if len(self._contexts) > _CONTEXTS:
            self._contexts.popitem(last=False)
        return found

    def _make(self, host: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        chain = self._host_certificate(host).public_bytes(serialization.Encoding.PEM)
        # The ssl module reads files only: for a moment there is one, for us alone and encrypted.
        with TemporaryDirectory() as folder:
            file = Path(folder) / "host.pem"
            file.write_bytes(self._packed_key + chain + self.certificate)
            context.load_cert_chain(file, password=self._password)
        return context

    def _own_certificate(self) -> x509.Certificate:
        usage = x509.KeyUsage(
            digital_signature=True,
            key_cert_sign=True,
            crl_sign=True,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            encipher_only=False,
            decipher_only=False,
        )
        return (
            self._builder(self._name, self._key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
            .sign(self._key, hashes.SHA256())
        )

    def _host_certificate(self, host: str) -> x509.Certificate:
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        server = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        return (
            self._builder(_name(host[:_LONGEST_NAME]), self._host_key.public_key())
            .add_extension(x509.SubjectAlternativeName([_alternative(host)]), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(server, critical=False)
            .add_extension(issuer, critical=False)
            .sign(self._key, hashes.SHA256())
        )

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePublicKey
    ) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))  # clocks differ
            .not_valid_after(now + _DAYS)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        )


def is_throw_away(path: Path) -> bool:
    """Whether a file is the certificate of such an authority."""
    try:
        found = x509.load_pem_x509_certificate(path.read_bytes())
    except (OSError, ValueError):
        return False
    return found.subject == _name(NAME)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _alternative(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host.strip("[]")))
    except ValueError:
        return x509.DNSName(host)
