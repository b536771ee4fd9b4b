"""Task files: every key, every mistake, and back again."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.errors import BadInput
from wolfspider.lab.tasks import JUDGES, Away, Task, TaskFile, read_tasks, write_tasks

SHARED = Path(__file__).resolve().parents[3] / "shared" / "webs" / "tasks"

FULL = """
web = "webs/mine"
judge = "keywords"

[[task]]
name = "cornell-courses"
keywords = ["course", "lecture"]
description = "text used only to measure similarity"
within = "site:cornell"
targets = { label = "course" }
seeds = ["http://www.cs.cornell.edu/", "http://b.example/"]
train = ["site:texas", "site:washington"]
budget = 1000
cone = 4
until = 5

[[task]]
name = "least"
judge = "classifier"
examples = 5
keywords = ["birds"]
targets = ["http://a.example/1", "http://a.example/2"]
seeds = { away = 3 }
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "tasks.toml"
    path.write_text(text, "utf-8")
    return path


def test_every_key_is_read(tmp_path: Path) -> None:
    file = read_tasks(write(tmp_path, FULL))
    assert file.web == Path("webs/mine")
    full, least = file.tasks
    assert full == Task(
        name="cornell-courses",
        keywords=("course", "lecture"),
        targets="course",
        seeds=("http://www.cs.cornell.edu/", "http://b.example/"),
        budget=1000,
        judge="keywords",
        description="text used only to measure similarity",
        within="site:cornell",
        train=("site:texas", "site:washington"),
        cone=4,
        until=5,
    )
    addresses = ("http://a.example/1", "http://a.example/2")
    assert least == Task(
        "least", ("birds",), addresses, Away(3, 10), judge="classifier", examples=5
    )
    assert least.budget is None
    assert full.listed
    assert not least.listed


def test_a_web_may_be_given_in_place_of_the_files(tmp_path: Path) -> None:
    path = write(tmp_path, FULL)
    assert read_tasks(path, Path("other")).web == Path("other")
    without = write(tmp_path, FULL.replace('web = "webs/mine"', ""))
    assert read_tasks(without, Path("other")).web == Path("other")


def test_a_web_beside_the_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "webs" / "mine").mkdir(parents=True)
    assert read_tasks(write(tmp_path, FULL)).web == tmp_path / "webs" / "mine"


def test_targets_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_bytes("\ufeffhttp://a.example/é\r\nhttp://b.example/\n".encode())
    text = FULL.replace('{ label = "course" }', '{ file = "urls.txt" }')
    assert read_tasks(write(tmp_path, text)).tasks[0].targets == (
        "http://a.example/é",
        "http://b.example/",
    )


TASK = '[[task]]\nname = "t"\nkeywords = ["k"]\ntargets = { label = "l" }\nseeds = ["http://a.example/"]\n'


def with_line(line: str) -> str:
    """A good task with one line set, in place of that of the same key."""
    key = line.split("=")[0].strip()
    kept = [each for each in TASK.split("\n") if each.split("=")[0].strip() != key]
    return 'web = "w"\n' + "\n".join([*kept, line])


BAD_LINES = {
    "colour = 3": r"task 't' has an unknown key 'colour'; known: name, keywords, targets",
    "name = 3": "every task needs a name",
    'name = ""': "every task needs a name",
    'keywords = "birds"': "task 't': keywords is a list of strings, not 'birds'",
    "keywords = [1]": "keywords is a list of strings",
    "keywords = []": "task 't' lacks keywords",
    "seeds = []": "task 't' lacks seeds",
    'seeds = "http://a.example/"': r"seeds is a list of URLs or \{ away = 3, count = 10 \}",
    "seeds = { count = 3 }": "seeds is a list of URLs or",
    "seeds = { away = 3, many = 3 }": "seeds is a list of URLs or",
    "seeds = { away = -1 }": "seeds is a list of URLs or",
    "seeds = { away = 1.5 }": "seeds is a list of URLs or",
    "seeds = { away = true }": "seeds is a list of URLs or",
    "seeds = { away = 3, count = 0 }": "seeds is a list of URLs or",
    "seeds = [3]": "seeds is a list of strings",
    "targets = []": "task 't' lacks targets",
    'targets = "l"': r"targets is \{ label = … \}, \{ file = … \} or a list of URLs",
    'targets = { label = "a", file = "b" }': "targets is",
    "targets = { label = 3 }": "label is a string, not 3",
    "targets = { file = 3 }": "file is a string, not 3",
    'targets = { file = "none.txt" }': "cannot read .*none.txt: No such file",
    'targets = { file = "latin.txt" }': "latin.txt is not UTF-8",
    "targets = [3]": "targets is a list of strings",
    "budget = 0": 'budget is a number of pages or "all", not 0',
    "budget = true": "budget is a number of pages",
    'budget = "some"': "budget is a number of pages",
    "budget = 1.5": "budget is a number of pages",
    "cone = 0": "cone is a number, at least 1, not 0",
    "cone = true": "cone is a number, at least 1, not True",
    'until = "5"': "until is a number, at least 1, not '5'",
    "description = 5": "description is a string, not 5",
    'within = ["a"]': r"within is a string, not \['a'\]",
    'train = "site:texas"': "train is a list of strings",
    'judge = "jury"': "unknown judge 'jury'; known: targets, keywords, cosine",
    "judge = []": r"unknown judge \[\]",
    'judge = "cosine"': "the judge 'cosine' compares with the description; add one",
}


@pytest.mark.parametrize("line", BAD_LINES)
def test_a_bad_line_is_a_sentence(tmp_path: Path, line: str) -> None:
    (tmp_path / "latin.txt").write_bytes("é".encode("latin-1"))
    with pytest.raises(BadInput, match=BAD_LINES[line]) as caught:
        read_tasks(write(tmp_path, with_line(line)))
    assert "tasks.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


BAD_FILES = {
    "": "has no task; add a \\[\\[task\\]\\]|names no web",
    'web = "w"': "has no task",
    'web = "w"\ntask = []': "has no task",
    'web = "w"\ntask = 3': "tasks are written as",
    'web = "w"\ntask = [3]': "tasks are written as",
    'web = "w"\n[task]\nname = "t"': "tasks are written as",
    TASK: 'names no web; add a line such as: web = "webs/mine"',
    "web = 3\n" + TASK: "web is a string, not 3",
    'web = "w"\ncolour = 3\n' + TASK: "unknown key 'colour'; known: web, judge, task",
    'web = "w"\n' + TASK + TASK: "has 2 tasks named 't'",
    'web = "w\n': "cannot read the tasks in",
    'web = "w"\nweb = "v"': "cannot read the tasks in",
}


@pytest.mark.parametrize("text", BAD_FILES)
def test_a_bad_file_is_a_sentence(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match=BAD_FILES[text]):
        read_tasks(write(tmp_path, text))


def test_an_unreadable_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cannot read the tasks in .*none\.toml: No such file"):
        read_tasks(tmp_path / "none.toml")
    with pytest.raises(BadInput, match=r"cannot read the tasks in .*: Is a directory"):
        read_tasks(tmp_path)
    (tmp_path / "latin.toml").write_bytes("web = 'é'".encode("latin-1"))
    with pytest.raises(BadInput, match=r"cannot read the tasks in .*utf-8"):
        read_tasks(tmp_path / "latin.toml")


# -- and back ------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = texts.filter(bool)
several = st.lists(names, min_size=1, max_size=3).map(tuple)
counts = st.none() | st.integers(1, 10**6)
tasks = st.builds(
    Task,
    name=names,
    keywords=several,
    targets=names | several,
    seeds=several | st.builds(Away, st.integers(0, 9), st.integers(1, 99)),
    budget=counts,
    judge=st.sampled_from(["targets", "keywords"]),
    description=texts,
    within=texts,
    train=st.lists(names, max_size=2).map(tuple),
    cone=counts,
    until=counts,
)


@given(st.lists(tasks, min_size=1, max_size=3, unique_by=lambda task: task.name), texts)
def test_what_is_written_reads_back(
    tmp_path_factory: pytest.TempPathFactory, written: list[Task], folder: str
) -> None:
    path = tmp_path_factory.mktemp("tasks") / "tasks.toml"
    write_tasks(path, Path("w" + folder.replace("\0", "")), written)
    file = read_tasks(path)
    assert file == TaskFile(Path("w" + folder.replace("\0", "")), tuple(written))


@given(tasks)
def test_a_task_survives_json(task: Task) -> None:
    assert Task.of_json(task.as_json()) == task


def test_the_examples_set_every_field() -> None:
    default = Task("", (), "", ())
    file_keys = {field.name for field in fields(Task)}
    text = "".join(FULL.split())
    assert all(f"{key}=" in text for key in file_keys)
    assert default.judge in JUDGES


def test_a_folder_that_is_not_there_is_made(tmp_path: Path) -> None:
    task = Task("t", ("k",), "l", ("http://a.example/",))
    write_tasks(tmp_path / "new" / "tasks.toml", Path("w"), [task])
    assert (tmp_path / "new" / "tasks.toml").is_file()
    with pytest.raises(BadInput, match=r"cannot write the tasks to .*: (File exists|Not a dir)"):
        write_tasks(tmp_path / "new" / "tasks.toml" / "tasks.toml", Path("w"), [task])


@pytest.mark.parametrize("name", ["webkb", "wpcd", "wpcd-hard"])
def test_the_shared_task_files_parse(name: str) -> None:
    path = SHARED / f"{name}.toml"
    if not path.exists():
        pytest.skip(f"the shared task file {name}.toml is not here")
    file = read_tasks(path)
    assert {"webkb": 12, "wpcd": 9, "wpcd-hard": 8}[name] == len(file.tasks)
    assert all(task.budget is None and task.judge == "targets" for task in file.tasks)


def test_no_shared_task_file_is_forgotten() -> None:
    if not SHARED.is_dir():
        pytest.skip("the shared task files are not here")
    assert {path.stem for path in SHARED.glob("*.toml")} == {"webkb", "wpcd", "wpcd-hard"}
