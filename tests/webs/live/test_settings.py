"""Settings of the live web: what cannot be meant is refused before anything is asked."""

from __future__ import annotations

import pytest

from wolfspider.errors import BadInput
from wolfspider.webs.live.settings import LiveSettings


@pytest.mark.parametrize("text", ["127.0.0.1:8080", "[::1]:80", "host.example:65535"])
def test_a_host_and_its_port(text: str) -> None:
    assert LiveSettings(connect_to=text).connect_to == text


@pytest.mark.parametrize("text", ["127.0.0.1", "127.0.0.1:99999", "host:0", "ho st:80", ":80"])
def test_what_is_no_host_and_port_is_a_sentence(text: str) -> None:
    with pytest.raises(BadInput, match="write it as HOST:PORT, as in "):
        LiveSettings(connect_to=text)


@pytest.mark.parametrize("text", ["http://127.0.0.1:3128", "socks5h://u:p@proxy.example:1080/"])
def test_a_proxy(text: str) -> None:
    assert LiveSettings(proxy=text).proxy == text


@pytest.mark.parametrize("text", ["foo", "127.0.0.1:3128", "ftp://a.example", "http://"])
def test_what_is_no_proxy_is_a_sentence(text: str) -> None:
    with pytest.raises(BadInput, match="write it as a URL, as in http://"):
        LiveSettings(proxy=text)
