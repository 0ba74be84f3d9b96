"""The command itself, and the form in which every error of it is shown."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

import windlass
from windlass.errors import Interrupted, StoreWarning, WindlassError


class _Command(click.Group):
    """A group whose errors have this project's form, whoever raised them."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        try:
            with _warnings_as_lines():
                code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except Interrupted as stopped:
            click.echo(_stopped_note(stopped), err=True)
            code = 130
        except WindlassError as error:
            click.echo(error.render(), err=True)
            code = 2
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message())
            code = 0
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx is not None else "windlass"
            click.echo(f"error[cli.usage]: {_sentence(error.format_message())}", err=True)
            click.echo(f"hint: `{path} --help` shows what it takes", err=True)
            code = 2
        except click.Abort:
            click.echo("stopped", err=True)
            code = 130
        except OSError as error:
            if error.errno != errno.EPIPE:
                raise
            # The reader of our output has gone (`windlass ... | head`); nothing more can be said.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = 0
        if not standalone_mode:
            return code
        sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Our own warnings as a line each on stderr, without the place in our code that Python would name."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", StoreWarning)
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, StoreWarning):
                click.echo(f"warning: {message}", err=True)
            else:
                others(message, category, *place, **more)

        warnings.showwarning = show
        yield


def _stopped_note(stopped: Interrupted) -> str:
    if stopped.stored:
        return f"stopped: {stopped.done} of {stopped.total} runs are kept; the same command goes on from there"
    if stopped.total == 1:
        return "stopped before the end of the run"
    return f"stopped: {stopped.done} of {stopped.total} runs were finished; without a store none is kept"


def _sentence(text: str) -> str:
    """A message of click in our form: one line, small first letter, no full stop, backticks round literals."""
    line = " ".join(text.split()).rstrip(".").replace("'", "`")
    return line[:1].lower() + line[1:]


@click.group(cls=_Command, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(windlass.__version__, "--version", message="windlass %(version)s")
def main() -> None:
    """Measure TCP congestion control on paths described in a few lines of text."""
