"""The names of what can go wrong with a request."""

from __future__ import annotations

import pycurl

KINDS = {
    "bad url": "not an http or https address, or one that no host can have",
    "dns": "the host's name has no address, or the name server does not tell",
    "not allowed": "the guard forbids the address",
    "closed": "nobody listens there: the connection was refused",
    "unreachable": "no way leads there",
    "tls": "no trusted encrypted connection: certificate, host name or handshake",
    "timeout": "no connection, or no whole header, in time",
    "reset": "the connection ended before the header did",
    "too large": "the header is longer than the limit",
    "bad answer": "what came is not HTTP",
    "proxy": "the proxy cannot be used",
    "no files": "this process may open no more files or sockets",
    "failed": "anything else; the detail has libcurl's own words",
}

TRUNCATIONS = ("length", "time", "disconnect", "unspecified")  # the words of WARC-Truncated


_TLS_CODES = (35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98)
_KIND_OF_CODE: dict[int, str] = {
    pycurl.E_UNSUPPORTED_PROTOCOL: "bad answer",  # HTTP/0.9; other schemes never come this far
    pycurl.E_URL_MALFORMAT: "bad url",
    pycurl.E_COULDNT_RESOLVE_PROXY: "proxy",
    pycurl.E_COULDNT_RESOLVE_HOST: "dns",
    pycurl.E_COULDNT_CONNECT: "closed",
    8: "bad answer",  # CURLE_WEIRD_SERVER_REPLY
    16: "bad answer",  # CURLE_HTTP2
    92: "bad answer",  # CURLE_HTTP2_STREAM
    97: "proxy",  # CURLE_PROXY
    100: "too large",  # CURLE_TOO_LARGE
    pycurl.E_OPERATION_TIMEDOUT: "timeout",
    pycurl.E_GOT_NOTHING: "reset",
    pycurl.E_SEND_ERROR: "reset",
    pycurl.E_RECV_ERROR: "reset",
    pycurl.E_PARTIAL_FILE: "reset",
    **dict.fromkeys(_TLS_CODES, "tls"),
}
_UNKNOWN_SIGNER = ("issuer", "self-signed", "self signed", "first certificate")  # OpenSSL's words
_TRUNCATION_OF_KIND = {"timeout": "time", "reset": "disconnect", "tls": "disconnect"}


def kind_of(code: int, message: str) -> str:
    """The kind of one of libcurl's error codes."""
    if code == pycurl.E_RECV_ERROR and "chunk" in message:  # the same code as for a reset
        return "bad answer"
    return _KIND_OF_CODE.get(code, "failed")


def untrusted(detail: str) -> str:
    """Why there is no trusted encrypted connection, by libcurl's words, with the way out."""
    if "certificate" not in detail:
        return f"no encrypted connection: {detail}"
    unknown = any(words in detail for words in _UNKNOWN_SIGNER)
    way_out = "; if you know who signed it: --authorities FILE" if unknown else ""
    return f"the certificate is not to be trusted: {detail}{way_out}"


def truncation_of(kind: str) -> str:
    """What an error of this kind is called when it comes in the middle of a body."""
    return _TRUNCATION_OF_KIND.get(kind, "unspecified")
