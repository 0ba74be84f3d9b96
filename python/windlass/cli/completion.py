"""``windlass completion``, and what the words of a command can be: names for the Tab key."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from windlass.cli.group import main

SHELLS = ("bash", "zsh", "fish")

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


@main.command(
    short_help="Print the script that lets a shell complete commands and names.",
    epilog="Example: windlass completion bash",
)
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script that lets SHELL complete commands, options, algorithms, scenarios and papers.

    Evaluate it in the shell's start file: eval "$(windlass completion bash)" in ~/.bashrc, the same with zsh in
    ~/.zshrc; for fish, windlass completion fish > ~/.config/fish/completions/windlass.fish.
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}; there is one for {', '.join(SHELLS)}")
    click.echo(kind(main, {}, "windlass", "_WINDLASS_COMPLETE").source())


def _named(names: Iterable[str], start: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(start)]


def algorithms(context: click.Context, parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Algorithms of the engine, with what they are."""
    from windlass.cli.lists import rows_of

    rows = rows_of("algorithms")
    return [CompletionItem(row["name"], help=row["summary"]) for row in rows if row["name"].startswith(start)]


def queues(context: click.Context, parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Queue disciplines."""
    from windlass.cli.lists import rows_of

    return _named((row["name"] for row in rows_of("queues")), start)


def scenarios(context: click.Context, parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Scenario files here and ready scenarios; where neither fits, any file.

    A shell takes either names or its own file names, not both.
    """
    from windlass.scenario import ready_scenarios

    here = sorted(path.name for path in Path().glob("*.toml"))
    return _named((*here, *ready_scenarios()), start) or [CompletionItem(start, type="file")]


def entries(context: click.Context, parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Entries of the list that the words before name."""
    from windlass.cli.lists import first_column, rows_of

    what = context.params.get("what")
    if what is None:
        return []
    if what == "papers":  # what else their list has takes seconds
        from windlass import ledger

        return _named(ledger.papers(), start)
    return _named((row[first_column(what)] for row in rows_of(what)), start)


def targets(context: click.Context, parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Papers, ``all``, and the experiments of the one paper that is left."""
    from windlass import ledger, reproduce

    papers = [paper for paper in ledger.papers() if paper.startswith(start.partition("/")[0])]
    of_paper = ledger.load(papers[0]).experiments if len(papers) == 1 else ()
    return _named((*papers, *of_paper, reproduce.ALL), start)
