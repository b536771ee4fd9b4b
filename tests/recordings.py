"""WARC records made by hand, so that a test can say what every byte of them is."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from fastwarc.stream_io import ZstdWriter

from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.warc import WarcFile
from wolfspider.webs.recorded import RecordedWeb

DATE = "2020-01-01T00:00:00Z"
Headers = Sequence[tuple[str, str]]


def record(kind: str, url: str, block: bytes, date: str = DATE, headers: Headers = ()) -> bytes:
    """A WARC record with everything up to the next one."""
    fields = [("WARC-Type", kind), ("WARC-Target-URI", url), ("WARC-Date", date), *headers]
    fields += [("Content-Type", "application/http; msgtype=response")]
    fields += [("Content-Length", str(len(block)))]
    head = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return b"WARC/1.0\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n"


def http(body: bytes = b"", status: int = 200, headers: Headers = ()) -> bytes:
    """An HTTP answer."""
    fields = [("Content-Type", "text/html"), *headers]
    head = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return f"HTTP/1.1 {status} Whatever\r\n{head}\r\n".encode() + body


def page(url: str, body: str = "<p>Spiders hunt.", date: str = DATE) -> bytes:
    return record("response", url, http(body.encode()), date)


def moved(url: str, to: str, date: str = DATE, status: int = 301) -> bytes:
    return record("response", url, http(b"", status, [("Location", to)]), date)


def gone(url: str, date: str = DATE) -> bytes:
    return record("response", url, http(b"<p>No.", 404), date)


def gzipped(records: Iterable[bytes]) -> list[bytes]:
    return [gzip.compress(each, mtime=0) for each in records]


def zstandard(records: Iterable[bytes]) -> list[bytes]:
    return [_zstd_frame(each) for each in records]


def _zstd_frame(data: bytes) -> bytes:
    out = io.BytesIO()
    writer = ZstdWriter(out)
    writer.write(data)
    writer.finish()
    writer.flush()
    return out.getvalue()


def read(path: Path, data: bytes) -> tuple[list[Capture], WarcFile]:
    """What our reader makes of these bytes."""
    path.write_bytes(data)
    file = WarcFile(path)
    return list(file), file


def compile_web(folder: Path, records: Iterable[bytes], **labels: Sequence[str]) -> RecordedWeb:
    """A web folder from records, opened; labels as `name=[url, …]`."""
    warc = folder.with_name(f"{folder.name}.warc")
    captures, _ = read(warc, b"".join(records))
    with Compiler(folder, [warc.name]) as compiler:
        for capture in captures:
            compiler.add(capture)
        compiler.finish([(url, name) for name, urls in labels.items() for url in urls])
    return RecordedWeb(folder)
