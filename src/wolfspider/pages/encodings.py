"""Which character encoding a page is in, by the rules of the WHATWG standards.

A byte order mark wins, then the charset of the Content-Type header, then a `meta` (or XML)
declaration in the first 1024 bytes, then a `meta` further down, which makes browsers start over.
A page that declares nothing is UTF-8 if its bytes are valid UTF-8 beyond ASCII, else
windows-1252, as in browsers.
"""

from __future__ import annotations

import re

PRESCAN = 1024  # bytes in which a declaration counts at once
LATE = 1 << 16  # bytes in which a late declaration is looked for; browsers have no such limit

# Encoding standard §4.2: every name with its labels besides the name itself.
_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8",
    "ibm866": "866 cp866 csibm866",
    "iso-8859-2": "csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso-8859-3": "csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso-8859-4": "csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso-8859-5": "csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 "
    "iso_8859-5:1988",
    "iso-8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e "
    "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso-8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 "
    "iso_8859-7 iso_8859-7:1987 sun_eu_greek",
    "iso-8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598 "
    "iso_8859-8 iso_8859-8:1988 visual",
    "iso-8859-8-i": "csiso88598i logical",
    "iso-8859-10": "csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso-8859-13": "iso8859-13 iso885913",
    "iso-8859-14": "iso8859-14 iso885914",
    "iso-8859-15": "csisolatin9 iso8859-15 iso885915 iso_8859-15 l9",
    "iso-8859-16": "",
    "koi8-r": "cskoi8r koi koi8 koi8_r",
    "koi8-u": "koi8-ru",
    "macintosh": "csmacintosh mac x-mac-roman",
    "windows-874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620",
    "windows-1250": "cp1250 x-cp1250",
    "windows-1251": "cp1251 x-cp1251",
    "windows-1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 "
    "iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii x-cp1252",
    "windows-1253": "cp1253 x-cp1253",
    "windows-1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 "
    "iso_8859-9:1989 l5 latin5 x-cp1254",
    "windows-1255": "cp1255 x-cp1255",
    "windows-1256": "cp1256 x-cp1256",
    "windows-1257": "cp1257 x-cp1257",
    "windows-1258": "cp1258 x-cp1258",
    "x-mac-cyrillic": "x-mac-ukrainian",
    "gbk": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk",
    "gb18030": "",
    "big5": "big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese x-euc-jp",
    "iso-2022-jp": "csiso2022jp",
    "shift_jis": "csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis",
    "euc-kr": "cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 "
    "ksc_5601 windows-949",
    "replacement": "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr",
    "utf-16be": "unicodefffe",
    "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16",
    "x-user-defined": "",
}
_NAMES = {label: name for name, more in _LABELS.items() for label in (name, *more.split())}

# Python's codec where it goes by another name, or knows less than browsers do.
_CODECS = {
    "iso-8859-8-i": "iso-8859-8",
    "macintosh": "mac-roman",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "replacement": "ascii",  # encodings that attackers hide markup in: only ASCII is shown
    "x-user-defined": "ascii",
}
_NOT_ASCII = frozenset(("utf-16le", "utf-16be", "iso-2022-jp"))  # ASCII bytes may mean other things

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))

_HEADER_CHARSET = re.compile(r";\s*charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;\"']+))", re.I)
_META_CHARSET = re.compile(rb"charset[\t\n\f\r ]*=[\t\n\f\r ]*", re.I)
_META_LABEL = re.compile(rb"\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r ;\"'][^\t\n\f\r ;]*)")
_XML = re.compile(rb"<\?xml[^>]*?encoding[\t\n\r ]*=[\t\n\r ]*(?:\"([^\">]*)\"|'([^'>]*)')")

# The next thing that matters to the prescan. A comment may end with its own dashes, as `<!-->`.
_THING = re.compile(
    rb"<(?:(?P<comment>!-(?=-))|(?P<meta>meta(?=[\t\n\f\r /]))|(?P<tag>/?[a-z])|[!/?])", re.I
)
_GAP = re.compile(rb"[\t\n\f\r /]*+")
# One attribute. No match means that the bytes ran out inside it, which ends the prescan.
_ATTRIBUTE = re.compile(
    rb"([^\t\n\f\r />][^\t\n\f\r />=]*+)(?=[\t\n\f\r />=])[\t\n\f\r ]*+"
    rb"(?:=[\t\n\f\r ]*+(?:\"([^\"]*+)\"|'([^']*+)'|(?=[^\"'])([^\t\n\f\r >]*+)(?=[\t\n\f\r >]))"
    rb"|(?=[^=]))"
)
_SCRIPT = re.compile(rb"<(script|style)\b.*?(?:</\1|\Z)", re.I | re.S)
_LATE_META = re.compile(rb"<meta[^<>]*charset", re.I)
_TAG_NAME_END = re.compile(rb"[\t\n\f\r >]")

Attributes = dict[bytes, bytes]


def encoding_of(label: str) -> str | None:
    """Name of the encoding that a label stands for, or None: `latin1` is windows-1252."""
    return _NAMES.get(label.strip("\t\n\f\r ").lower())


def detect_encoding(body: bytes, content_type: str = "") -> str:
    """WHATWG name, in lower case, of the encoding that a browser would read the page in."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return name
    return _from_header(content_type) or _prescan(body[:PRESCAN]) or _late(body) or _guess(body)


def decode_utf8(body: bytes, content_type: str = "") -> bytes:
    """The page in UTF-8, without byte order mark; never fails.

    Bytes that are already good are handed through; bytes that mean nothing become U+FFFD.
    """
    name = detect_encoding(body, content_type)
    if name == "utf-8" or (name not in _NOT_ASCII and body.isascii()):
        return body.removeprefix(_MARKS[0][0])
    text = body.decode(_CODECS.get(name, name), "replace")
    return text.removeprefix("\ufeff").encode("utf-8", "replace")


def _from_header(content_type: str) -> str | None:
    found = _HEADER_CHARSET.search(content_type)
    return encoding_of(next(filter(None, found.groups()), "")) if found else None


def _guess(body: bytes) -> str:
    """ASCII reads the same either way; it is called windows-1252, as in browsers."""
    if body.isascii():
        return "windows-1252"
    try:
        body.decode()
    except UnicodeDecodeError:
        return "windows-1252"
    return "utf-8"


def _prescan(head: bytes) -> str | None:
    """HTML standard §13.2.3.2, "prescan a byte stream to determine its encoding"."""
    if head.startswith(b"<\0?\0x\0"):
        return "utf-16le"
    if head.startswith(b"\0<\0?\0x"):
        return "utf-16be"
    name = _meta_name(head)
    if name is None and (xml := _XML.match(head)):
        name = encoding_of((xml[1] or xml[2] or b"").decode("latin-1"))
    return _as_declared(name)


def _late(body: bytes) -> str | None:
    """HTML standard §13.2.3.4, "changing the encoding while parsing": not inside scripts."""
    if not _LATE_META.search(body, PRESCAN // 2, LATE):
        return None
    return _as_declared(_meta_name(_SCRIPT.sub(b"", body[:LATE])))


def _as_declared(name: str | None) -> str | None:
    """What browsers make of two declarations that cannot be true of a page they could read."""
    if name in ("utf-16le", "utf-16be"):
        return "utf-8"
    return "windows-1252" if name == "x-user-defined" else name


def _meta_name(head: bytes) -> str | None:
    at = 0
    while found := _THING.search(head, at):
        if found["comment"]:
            at = _after(head, b"-->", found.end() - 1)
        elif found["meta"]:
            attributes, at = _attributes(head, found.end())
            if name := _declared(attributes):
                return name
        elif found["tag"]:
            end = _TAG_NAME_END.search(head, found.end())
            at = _attributes(head, end.start())[1] if end else len(head)
        else:
            at = _after(head, b">", found.end())
    return None


def _after(head: bytes, wanted: bytes, at: int) -> int:
    found = head.find(wanted, at)
    return len(head) if found < 0 else found + len(wanted)


def _attributes(head: bytes, at: int) -> tuple[Attributes, int]:
    """Attributes of the tag whose name ends at `at`, first of each name, and where it ends.

    A tag that the bytes do not complete has none.
    """
    attributes: Attributes = {}
    while True:
        at = _GAP.match(head, at).end()  # type: ignore[union-attr]  # matches the empty string
        if head[at : at + 1] == b">":
            return attributes, at
        found = _ATTRIBUTE.match(head, at)
        if not found:
            return {}, len(head)
        name, *values = found.groups()
        attributes.setdefault(name.lower(), next(filter(None, values), b""))
        at = found.end()


def _declared(attributes: Attributes) -> str | None:
    """What a meta tag declares; a `content` counts only beside `http-equiv=content-type`."""
    if b"charset" in attributes:
        return encoding_of(attributes[b"charset"].decode("latin-1"))
    if attributes.get(b"http-equiv", b"").lower() != b"content-type":
        return None
    content = attributes.get(b"content", b"")
    found = _META_CHARSET.search(content)
    label = _META_LABEL.match(content, found.end()) if found else None
    return encoding_of(next(filter(None, label.groups()), b"").decode("latin-1")) if label else None
