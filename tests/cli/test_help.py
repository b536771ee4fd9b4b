"""Every help text ends with an example, and the examples work."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from command_line import Run, start
from recordings import compile_web, page
from wolfspider.cli import wolfspider
from wolfspider.policies import known
from wolfspider.watching.registry import WATCHERS


def commands(command: click.Command, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """The words of every command and group."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found
            yield from commands(found, *path, name)


ALL = dict(commands(wolfspider))


def example(text: str) -> tuple[str, str]:
    """The example at the end of a help text, and the command to run before it."""
    before, _, shown = text.rpartition("Example:\n")
    assert before, text
    first = before.rpartition("Before the example:\n")[2].strip() if "Before the" in text else ""
    return shown.replace("\\\n", " ").strip(), first


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_help_ends_with_an_example_of_the_command(run: Run, path: tuple[str, ...]) -> None:
    shown = run(*path, "--help")
    assert (shown.code, shown.err) == (0, "")
    command, _ = example(shown.out)
    words = shlex.split(command)
    assert words[: 1 + len(path)] == ["wolfspider", *path]
    assert run(*path, "-h").out == shown.out


def test_the_examples_work_as_they_stand(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the lab are with its own tests."""
    monkeypatch.chdir(tmp_path)
    done = set()
    for path in ALL:
        if path[:1] == ("lab",):
            continue
        command, first = example(run(*path, "--help").out)
        for line in [*map(str.strip, first.splitlines()), command]:
            if line not in done:
                outcome = run(*shlex.split(line)[1:])
                assert outcome.code == 0, (line, outcome.err)
                assert outcome.out
                done.add(line)
    assert len(done) >= 5


def test_every_command_that_gives_results_takes_json_and_quiet() -> None:
    for path, command in ALL.items():
        if not isinstance(command, click.Group):
            options = {option for each in command.params for option in each.opts}
            assert {"--json", "--quiet"} <= options, path


def test_policies_are_listed_for_people_and_programs(run: Run) -> None:
    listed = run("policies", "--json").json["policies"]
    assert [policy["name"] for policy in listed] == list(known())
    assert all(policy["about"].endswith(".") for policy in listed)
    assert run("policies", "--quiet").out.split() == [*known(), *WATCHERS]
    shown = run("policies").out
    for policy in listed:
        assert f"{policy['name']}\n    {policy['about']}\n    settings: " in shown


def test_one_policy_is_told_with_what_its_settings_mean(run: Run) -> None:
    shown = run("policies", "wolf").out
    assert shown.startswith("wolf\n    Follows the link")
    assert "`curiosity`: how much more" in shown
    assert shown.count("settings: ") == 1
    assert run("policies", "foragers", "--json").json["policies"] == []
    refused = run("policies", "wulf")
    assert (refused.code, refused.out) == (2, "")
    assert "unknown policy 'wulf'; did you mean wolf?" in refused.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "no command is called 'nonsense'; known: hunt, resume"),
        (["wy"], "did you mean why? known: "),
        (["hunt"], "Missing option '--topic'"),
        (["hunt", "--pages", "many"], "Invalid value for '--pages': 'many' is not a valid integer"),
        (["web", "import", "-o", "x"], "Missing argument 'RECORDINGS...'"),
        (["web", "info", "--nonsense"], "No such option '--nonsense'"),
    ],
)
def test_wrong_usage_ends_with_code_2(run: Run, arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert done.code == 2
    assert message in done.err
    assert "--help' for help" in done.err


def test_version(run: Run) -> None:
    assert run("--version").out.startswith("wolfspider, version ")


def test_output_survives_a_terminal_that_cannot_show_it(tmp_path: Path) -> None:
    folder = compile_web(tmp_path / "web", [page("http://a.test/")], **{"Käse": ["http://a.test/"]})
    for arguments in (["--json"], []):
        process = start("web", "info", folder.folder, *arguments, PYTHONIOENCODING="ascii")
        out, err = process.communicate(timeout=20)
        assert (process.returncode, err) == (0, "")
        assert out.isascii()
        if arguments:
            assert json.loads(out)["labels"] == {"Käse": 1}


def test_a_reader_that_leaves_early_is_no_trouble() -> None:
    process = start("policies", "--json")
    assert process.stdout
    process.stdout.close()
    assert process.stderr
    assert process.stderr.read() == ""
    process.stderr.close()
    process.wait(20)
