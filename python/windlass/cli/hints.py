"""What to write instead of a command line that click refuses."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

import click

__all__ = ["UsageError", "hint_of"]


class UsageError(click.UsageError):
    """A mistake on the command line, with a hint of its own.

    Parameters
    ----------
    message : str
        What is wrong.
    hint : str
        What to write instead.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


_NEAR = 0.75
"""From this likeness on, an option that this command has is meant rather than one that another has."""

_SETTABLE = {
    "--algorithm": "flows.algorithm=cubic",
    "--algorithms": '\'sweep.flows.algorithm=["newreno", "cubic"]\'',
    "--cc": "flows.algorithm=cubic",
    "--rate": "'topology.bottleneck.rate=8 Mbps'",
    "--delay": "'topology.bottleneck.delay=50 ms'",
    "--loss": "'topology.bottleneck.loss=1 %'",
    "--queue": "'topology.bottleneck.queue=1 bdp'",
    "--duration": "'scenario.duration=60 s'",
    "--warmup": "'scenario.warmup=5 s'",
    "--profile": "scenario.profile=linux",
    "--flows": "flows.count=4",
    "--pairs": "topology.pairs=4",
    "--trace": "'output.traces=[\"cwnd\"]'",
}
"""Options that would be keys of the scenario, and what `--set` takes for them."""


def hint_of(error: click.UsageError) -> str:
    """What to write instead."""
    path = error.ctx.command_path if error.ctx is not None else "windlass"
    usual = f"`{path} --help` shows what it takes"
    if isinstance(error, UsageError):
        return error.hint
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        return _of_option(error.option_name, error.ctx, path) or usual
    return usual


def _of_option(name: str, context: click.Context, path: str) -> str | None:
    """What to write in place of an option that the command does not have."""
    own = set(_options(context.command))
    sisters = [command for command, options in _commands(context) if name in options]
    if name == "--seed" and "--seeds" in own:
        return "`--seeds 5` makes five runs, `--seeds 3,7` or `--seeds 1-5` those; one alone is `--seeds 3-3`"
    if name == "--seeds" and "--seed" in own:
        return "`--seed 3` chooses the seed of the one run; `windlass sweep FILE --seeds 5` makes several"
    if name in ("-o", "--output") and "--out" in own:
        return (
            f"`--out DIR` writes the tables; `windlass export FILE {name} run.pcapng` packets, `windlass plot` figures"
        )
    if name == "--out" and "-o" in own:
        return "the place to write to is given with `-o`"
    if name in _SETTABLE and "--set" in own:
        if context.command.name == "compare" and name in ("--algorithm", "--algorithms", "--cc"):
            return "algorithms stand without an option: `windlass compare newreno cubic --path FILE`"
        return f"it is a key of the scenario: `--set {_SETTABLE[name]}`"
    near = difflib.get_close_matches(name, own, n=1, cutoff=0.6)
    if near and (not sisters or difflib.SequenceMatcher(None, name, near[0]).ratio() >= _NEAR and len(name) > 3):
        return f"did you mean `{near[0]}`? `{path} --help` shows all"
    if sisters:
        return (
            f"{_listed(sisters)} {'has' if len(sisters) == 1 else 'have'} it; `{path} --help` shows what this one takes"
        )
    return None


def _options(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield from (*parameter.opts, *parameter.secondary_opts)


def _commands(context: click.Context) -> Iterator[tuple[str, set[str]]]:
    """Every command with its options."""
    root = context.find_root()
    if not isinstance(root.command, click.Group):
        return
    for name in root.command.list_commands(root):
        command = root.command.get_command(root, name)
        if command is not None and command is not context.command:
            yield f"{root.info_name or 'windlass'} {name}", set(_options(command))


def _listed(names: Sequence[str], most: int = 3) -> str:
    shown = [f"`{name}`" for name in names[:most]]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
