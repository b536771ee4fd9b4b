"""Files of every format become the same table; what cannot be read is a sentence."""

from __future__ import annotations

import errno
import gzip
import json
import os
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from wolfspider.errors import BadInput
from wolfspider.text import term_ids
from wolfspider.vectors import WordVectors, readers

WORDS = ["moons", "sun", "moon", "the", "new york", "tide"]  # moon and moons have one stem
VECTORS: list[list[float]] = [
    [1.0, 2.0, -3.0],
    [0.5, 0.25, 4.0],
    [9, 9, 9],
    [8, 8, 8],
    [7, 7, 7],
    [0, -1.5, 2],
]
LINES = [f"{w} {' '.join(map(str, v))}\n" for w, v in zip(WORDS, VECTORS, strict=True)]
EXPECTED = {"moons": VECTORS[0], "sun": VECTORS[1], "tide": VECTORS[5]}


def glove(path: Path) -> None:
    path.write_text("".join(LINES))


def glove_with_windows_lines_and_tabs(path: Path) -> None:
    path.write_bytes("".join(LINES).replace("sun ", "sun\t").replace("\n", "\r\n").encode())


def word2vec_text(path: Path) -> None:
    path.write_text("6 3\n" + "".join(LINES))


def fasttext_vec(path: Path) -> None:
    path.write_text("6 3\n" + "".join(line.replace("\n", " \n") for line in LINES))


def word2vec_binary(path: Path, feed: bytes = b"\n") -> None:
    pairs = zip(WORDS, VECTORS, strict=True)
    names = [(word.replace(" ", "_"), vector) for word, vector in pairs]
    entries = [name.encode() + b" " + struct.pack("<3f", *v) + feed for name, v in names]
    path.write_bytes(b"6 3\n" + b"".join(entries))


def word2vec_binary_without_feeds(path: Path) -> None:
    word2vec_binary(path, b"")


def fasttext_binary(path: Path, longest_subword: int = 0, quantised: bytes = b"\0") -> None:
    head = struct.pack(
        "<14id", 793712314, 12, 3, 5, 1, 1, 5, 1, 1, 1, 0, 0, longest_subword, 100, 0
    )
    sizes = struct.pack("<3i2q", 6, 6, 0, 60, -1)
    entries = b"".join(w.encode() + b"\0" + struct.pack("<qb", 10, 0) for w in WORDS)
    matrix = struct.pack("<2q", 6, 3) + np.array(VECTORS, "<f4").tobytes()
    path.write_bytes(head + sizes + entries + quantised + matrix)


def safetensors(path: Path, kind: str = "F32") -> None:
    values = np.array(VECTORS, "<f4")
    data = {
        "F32": values.tobytes(),
        "F16": values.astype("<f2").tobytes(),
        "BF16": (values.view("<u4") >> 16).astype("<u2").tobytes(),
    }[kind]
    tensor = {"dtype": kind, "shape": [6, 3], "data_offsets": [0, len(data)]}
    head = json.dumps({"__metadata__": {"a": "b"}, "embedding.weight": tensor}).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + data)
    (path.parent / f"{path.stem}.words.txt").write_text("\n".join(WORDS) + "\n")


def safetensors_half(path: Path) -> None:
    safetensors(path, "F16")


def safetensors_brain(path: Path) -> None:
    safetensors(path, "BF16")


def zipped(write: Callable[[Path], None]) -> Callable[[Path], None]:
    def written(path: Path) -> None:
        write(path)
        path.write_bytes(gzip.compress(path.read_bytes()))

    written.__name__ = f"{write.__name__}_gz"
    return written


FORMATS = [
    glove,
    glove_with_windows_lines_and_tabs,
    word2vec_text,
    fasttext_vec,
    word2vec_binary,
    word2vec_binary_without_feeds,
    fasttext_binary,
    safetensors,
    safetensors_half,
    safetensors_brain,
    zipped(glove),
    zipped(word2vec_text),
    zipped(word2vec_binary),
]


def vector(table: WordVectors, word: str) -> list[float]:
    rows, here = table.find(term_ids(word))
    assert here.all(), word
    [found] = table.take(rows).tolist()
    return list(found)


@pytest.mark.parametrize("write", FORMATS, ids=lambda write: write.__name__)
def test_every_format_becomes_the_same_table(write: Callable[[Path], None], tmp_path: Path) -> None:
    write(tmp_path / "file")
    table = WordVectors.open(tmp_path / "file")
    assert (len(table), table.width, table.whole) == (3, 3, 3)
    assert table.words == ("moons", "sun", "tide")  # the most frequent first
    assert {word: vector(table, word) for word in EXPECTED} == EXPECTED
    assert vector(table, "Moon") == VECTORS[0]  # of one stem the first word counts
    assert not table.find(term_ids("york comet"))[1].any()


def test_a_tokenizer_makes_words_of_parts(tmp_path: Path) -> None:
    vocabulary = {"<unk>": 0, "▁sun": 1, "▁Paris": 2, "▁moon": 3, "light": 4}
    merges: list[str] = []
    for token in list(vocabulary)[1:]:
        for end in range(1, len(token)):
            vocabulary.setdefault(token[:end], len(vocabulary))
            vocabulary.setdefault(token[end], len(vocabulary))
            merges.append(f"{token[:end]} {token[end]}")
    model = {"type": "BPE", "vocab": vocabulary, "merges": merges, "unk_token": "<unk>"}
    normalizer = {"type": "Prepend", "prepend": "▁"}
    about = {"version": "1.0", "added_tokens": [], "normalizer": normalizer, "model": model}
    (tmp_path / "tokenizer.json").write_text(json.dumps(about))
    values = np.arange(2 * len(vocabulary), dtype="<f4").reshape(-1, 2)
    tensor = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [0, values.nbytes]}
    head = json.dumps({"weight": tensor}).encode()
    path = tmp_path / "model.safetensors"
    path.write_bytes(struct.pack("<Q", len(head)) + head + values.tobytes())
    table = WordVectors.open(path)
    assert vector(table, "sun") == [2, 3]
    assert vector(table, "paris") == [4, 5]  # a token only when written large
    assert vector(table, "moonlight") == [7, 8]  # the mean of [6, 7] and [8, 9]
    whole = table.words[: table.whole]
    assert {"sun", "paris", "moon"} <= set(whole)
    assert "moonlight" in table.words
    assert "moonlight" not in whole


# -- the cache -----------------------------------------------------------------------------


def test_a_table_is_mapped_and_not_copied(tmp_path: Path) -> None:
    glove(tmp_path / "glove.txt")
    table = WordVectors.open(tmp_path / "glove.txt")
    for array in (table.ids, table.rows, table.vectors):
        assert isinstance(array.base, np.memmap)
        assert not array.flags.writeable
    assert table.path is not None
    assert Path(table.vectors.base.filename) == table.path / "vectors.npy"  # type: ignore[union-attr]


def test_a_second_open_does_not_read_the_file_again(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "glove.txt"
    glove(path)
    first = WordVectors.open(path)
    with monkeypatch.context() as patch:
        patch.setattr(readers, "read", lambda _: pytest.fail("the file was read again"))
        again = WordVectors.open(str(path))
    assert again.path == first.path
    assert vector(again, "sun") == VECTORS[1]
    assert [folder.name for folder in cache.iterdir()] == [first.path.name]  # type: ignore[union-attr]


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_text("sun 1 2\n")
    WordVectors.open(path)
    path.write_text("sun 3 4\n")
    os.utime(path, ns=(1, 1))
    assert vector(WordVectors.open(path), "sun") == [3, 4]


def test_a_list_of_words_that_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    safetensors(path)
    assert vector(WordVectors.open(path), "sun") == VECTORS[1]
    words = [*WORDS]
    words[1], words[5] = words[5], words[1]
    (tmp_path / "words.txt").write_text("\n".join(words) + "\n")
    assert vector(WordVectors.open(path), "sun") == VECTORS[1]  # x.words.txt comes first
    (tmp_path / "x.words.txt").unlink()
    assert vector(WordVectors.open(path), "sun") == VECTORS[5]


def test_a_tokenizer_is_told_apart_from_a_list_and_from_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    safetensors(path)
    assert readers.files(path) == (path, tmp_path / "x.words.txt")
    (tmp_path / "x.words.txt").unlink()
    assert readers.files(path) == (path,)
    (tmp_path / "tokenizer.json").write_text("{}")
    assert readers.files(path)[:2] == (path, tmp_path / "tokenizer.json")


def test_a_damaged_cache_is_made_again(tmp_path: Path) -> None:
    glove(tmp_path / "glove.txt")
    table = WordVectors.open(tmp_path / "glove.txt")
    assert table.path is not None
    (table.path / "ids.npy").write_bytes(b"rubbish")
    assert vector(WordVectors.open(tmp_path / "glove.txt"), "tide") == VECTORS[5]


def test_a_cache_that_cannot_be_read_now_is_not_thrown_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def short_of_files(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    glove(tmp_path / "glove.txt")
    kept = WordVectors.open(tmp_path / "glove.txt").path
    assert kept is not None
    (kept / "mine").touch()
    with monkeypatch.context() as patch:
        patch.setattr(np, "load", short_of_files)
        assert WordVectors.open(tmp_path / "glove.txt").path is None
    assert (kept / "mine").exists()


def test_who_reads_with_one_topic_in_mind_shares_a_table(english: WordVectors) -> None:
    one, other = WordVectors.open(topic="sun"), WordVectors.open(topic="sun")
    assert one is other
    assert one is not WordVectors.open(topic="physics")
    assert WordVectors.open() is not english  # it was read from another cache


def test_without_a_cache_the_table_is_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    glove(tmp_path / "glove.txt")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "glove.txt"))  # a file, no folder
    table = WordVectors.open(tmp_path / "glove.txt")
    assert table.path is None
    assert table.words == ("moons", "sun", "tide")
    assert {word: vector(table, word) for word in EXPECTED} == EXPECTED


def test_a_cache_that_cannot_be_looked_at_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    glove(tmp_path / "glove.txt")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ("long" * 100)))
    table = WordVectors.open(tmp_path / "glove.txt")
    assert table.path is None


@pytest.mark.parametrize("closed", ["vectors", "vectors/the table"])
def test_a_cache_that_is_closed_is_none(tmp_path: Path, cache: Path, closed: str) -> None:
    glove(tmp_path / "glove.txt")
    open_table = WordVectors.open(tmp_path / "glove.txt")
    assert open_table.path is not None
    folder = cache if closed == "vectors" else open_table.path
    folder.chmod(0)
    try:
        if os.access(folder, os.R_OK):
            pytest.skip("root may read everything")
        table = WordVectors.open(tmp_path / "glove.txt")
    finally:
        folder.chmod(0o700)
    assert table.path is None
    assert vector(table, "sun") == VECTORS[1]


def test_a_failed_reading_leaves_nothing_in_the_cache(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "bad.txt").write_text("sun 1 2\nmoon 1\n")
    with pytest.raises(BadInput):
        WordVectors.open(tmp_path / "bad.txt")
    assert list(cache.iterdir()) == []


def test_a_saved_folder_opens(tmp_path: Path) -> None:
    glove(tmp_path / "glove.txt")
    WordVectors.open(tmp_path / "glove.txt").save(tmp_path / "folder")
    table = WordVectors.open(tmp_path / "folder")
    assert table.words == ("moons", "sun", "tide")
    assert {word: vector(table, word) for word in EXPECTED} == EXPECTED
    about = json.loads((tmp_path / "folder" / "about.json").read_text())
    assert (about["count"], about["width"], about["whole"]) == (3, 3, 3)


def test_many_batches_are_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "_CHUNK", 30)  # bytes: a line or two at a time
    lines = [f"word{n % 50} {n} {-n}\n" for n in range(200)]
    (tmp_path / "glove.txt").write_text("".join(lines))
    table = WordVectors.open(tmp_path / "glove.txt")
    assert len(table) == 50
    assert [vector(table, f"word{n}") for n in range(50)] == [[n, -n] for n in range(50)]
    assert (np.diff(table.ids.astype(np.int64)) > 0).all()


# -- what cannot be read -------------------------------------------------------------------


def gz(text: str) -> bytes:
    return gzip.compress(text.encode() * 50)


BAD = {
    "empty": (b"", "is empty"),
    "too few": (b"sun 1 2\nmoon 1\n", "line 2 has 1 numbers where 2 should be"),
    "too many": (b"sun 1 2\nmoon 1 2 3\n", "line 2 has 3 numbers where 2 should be"),
    "against the header": (b"2 3\nsun 1 2\nmoon 1 2\n", "line 2 has 2 numbers where 3 should"),
    "no numbers": (b"sun\nmoon\n", "line 1 has 0 numbers"),
    "no number": (b"sun 1 2\ntide 0 1\nmoon 1 x2\n", "line 3: 'x2' is not a number"),
    "nan": (b"sun 1 2\nmoon 1 nan\n", "line 2: the vector of 'moon' has NaN"),
    "infinity": (b"sun 1 2\nmoon 1 1e60\n", "line 2: the vector of 'moon' has NaN or infinity"),
    "encoding": ("sun 1 2\ngrün 1 2\n".encode("latin-1"), "line 2: the word .* is not UTF-8"),
    "cut off": (b"3 2\nsun 1 2\nmoon 1 2\n", "is cut off: 3 words in its first line, 2 came"),
    "binary cut off": (b"2 2\nsun " + b"\0" * 8 + b"\nmoon \0\0", "is cut off: 2 words .* 1 came"),
    "binary nan": (b"1 2\nsun " + struct.pack("<2f", 1, np.nan), "word 1: the vector of 'sun'"),
    "gzip cut off": (gz("sun 1 2\n")[:-9], "is not a whole gzip file"),
    "something else": (b"\x89PNG\0\0\0\0\0\0\0 \0\n", "is no file of word vectors"),
    "stop words only": (b"the 1 2\nof 1 2\n", "has no words that pages could have"),
    "wide": (b"1 99999\nsun 1\n", "line 1 has 99999 numbers; a vector has 1 to"),
    "fasttext cut off": (struct.pack("<2i", 793712314, 12), "is cut off"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_sentences(name: str, tmp_path: Path) -> None:
    data, sentence = BAD[name]
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(BadInput, match=sentence):
        WordVectors.open(tmp_path / "file")


@pytest.mark.parametrize("options", [{"longest_subword": 6}, {"quantised": b"\1"}])
def test_fasttext_models_with_subwords_are_refused(options: dict[str, int], tmp_path: Path) -> None:
    fasttext_binary(tmp_path / "model.bin", **options)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match=r"give the \.vec file"):
        WordVectors.open(tmp_path / "model.bin")


def test_safetensors_need_words_and_all_of_them(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    safetensors(path)
    words = tmp_path / "x.words.txt"
    words.write_text("sun\n")
    with pytest.raises(BadInput, match=r"has 1 words, .* has 6 vectors"):
        WordVectors.open(path)
    words.unlink()
    with pytest.raises(BadInput, match=r"put x\.words\.txt"):
        WordVectors.open(path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(BadInput, match="is not a tokenizer file"):
        WordVectors.open(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(BadInput, match="is cut off"):
        WordVectors.open(path)


@pytest.mark.parametrize(
    "odd",
    [
        {"shape": None},
        {"shape": 6},
        {"shape": [6, "3"]},
        {"shape": [-6, -3]},
        {"data_offsets": None},
        {"data_offsets": [0]},
        {"data_offsets": [0, 72.0]},
        {"data_offsets": [-72, 0]},
        {"data_offsets": "ab"},
        {"dtype": []},
    ],
    ids=str,
)
def test_an_odd_header_of_safetensors_is_a_sentence(tmp_path: Path, odd: dict[str, object]) -> None:
    tensor = {"dtype": "F32", "shape": [6, 3], "data_offsets": [0, 72]} | odd
    head = json.dumps({"weight": tensor}).encode()
    path = tmp_path / "x.safetensors"
    path.write_bytes(struct.pack("<Q", len(head)) + head + bytes(72))
    (tmp_path / "words.txt").write_text("\n".join(WORDS) + "\n")
    with pytest.raises(BadInput, match="its header gives weight no sane type, shape or place"):
        WordVectors.open(path)


def test_what_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no file of word vectors"):
        WordVectors.open(tmp_path / "nothing")
    with pytest.raises(BadInput, match="is not a folder of word vectors"):
        WordVectors.open(tmp_path)


def test_a_word_with_spaces_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "glove.txt").write_text("sun 1 2\n. . . 5 6\nat name@domain.com 7 8\nmoon 3 4\n")
    assert WordVectors.open(tmp_path / "glove.txt").words == ("sun", "moon")
