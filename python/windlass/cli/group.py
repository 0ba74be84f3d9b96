"""The command itself, and the form in which every error of it is shown."""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

import windlass
from windlass._start import ready
from windlass.amounts import counted
from windlass.errors import Interrupted, StoreWarning, WindlassError, shortened, visible


class _Subcommand(click.Command):
    """A command that refuses an option given twice of which only the last would count."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments."""
        if ctx.resilient_parsing:  # to complete what is not typed yet
            return super().parse_args(ctx, args)
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        seen = set()
        for parameter in given:
            if not isinstance(parameter, click.Option) or parameter.multiple or parameter.is_flag:
                continue
            if parameter.name in seen:
                raise click.UsageError(f"{parameter.opts[-1]} is given twice, and takes one value", ctx)
            seen.add(parameter.name)
        return super().parse_args(ctx, args)


class _Command(click.Group):
    """A group whose errors have this project's form, whoever raised them."""

    command_class = _Subcommand

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        _open_streams()
        ready()
        try:
            with _warnings_as_lines():
                code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
            sys.stdout.flush()
        except Interrupted as stopped:
            click.echo(_stopped_note(stopped), err=True)
            code = 130
            if stopped.left:  # its thread would be waited for without end
                sys.stdout.flush()
                os._exit(code)
        except WindlassError as error:
            click.echo(error.render(), err=True)
            code = 2
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message())
            code = 0
        except click.UsageError as error:
            from windlass.cli.hints import hint_of

            plain = isinstance(error, click.NoSuchOption)  # click's own guesses are of this command alone
            click.echo(
                visible(f"error[cli.usage]: {_sentence(error.message if plain else error.format_message())}"), err=True
            )
            click.echo(visible(f"hint: {hint_of(error)}"), err=True)
            code = 2
        except click.Abort:
            click.echo("stopped", err=True)
            code = 130
        except OSError as error:
            code = _refused(error)
        except MemoryError:
            click.echo("error[internal.memory]: the machine has too little memory for this", err=True)
            click.echo(
                "hint: fewer flows, a shorter run, or traces with a longer `output.trace_step` take less", err=True
            )
            code = 2
        except Exception as error:  # noqa: BLE001 - the one place for what nobody foresaw
            code = _stopped_inside(error) or _broken(error)
        if not standalone_mode:
            return code
        sys.exit(code if isinstance(code, int) else 0)


def _open_streams() -> None:
    """Have both streams, also where the caller closed them, and none that fails over a name that is no text."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - to the end
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _refused(error: OSError) -> int:
    """Say what the operating system refused; the exit code.

    Without a name of a file it was our own output: its reader has gone, or its disk is full.
    """
    if error.filename is None and error.errno in (errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EBADF):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still in buffers has nowhere to go
        if error.errno == errno.EPIPE:
            return 0  # `windlass ... | head`
        click.echo(f"error[cli.output]: standard output: {error.strerror}", err=True)
        click.echo("hint: write to a place that has room", err=True)
        return 2
    place = f"{error.filename}: " if error.filename is not None else ""
    click.echo(visible(f"error[cli.system]: {place}{error.strerror or error}"), err=True)
    click.echo("hint: check the name, its permissions and the room on the disk", err=True)
    return 2


def _stopped_inside(error: BaseException | None) -> int | None:
    """The exit code of Ctrl-C, if that is what is behind an error: an import that it interrupts may fail otherwise."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            click.echo("stopped", err=True)
            return 130
        error = error.__cause__ or error.__context__
    return None


DEBUG = "WINDLASS_DEBUG"
"""Variable of the environment: if it is set, what is broken is shown with the place in the code."""


def _broken(error: Exception) -> int:
    """Say that Windlass itself is broken, and how to report it; the exit code."""
    if os.environ.get(DEBUG):
        click.echo(visible("".join(traceback.format_exception(error))), err=True)
    what = shortened(str(error))
    click.echo(visible(f"error[internal]: Windlass is broken here: {type(error).__name__}: {what}"), err=True)
    click.echo(
        f"hint: please report it with the command, the file and what `{DEBUG}=1` before the command adds; "
        f"this is windlass {windlass.__version__}",
        err=True,
    )
    return 3


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Our own warnings as a line each on stderr, without the place in our code that Python would name."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", StoreWarning)
        others, said = warnings.showwarning, set()

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, StoreWarning):
                if str(message) not in said:
                    said.add(str(message))
                    click.echo(visible(f"warning: {message}"), err=True)
            else:
                others(message, category, *place, **more)

        warnings.showwarning = show
        yield


def _stopped_note(stopped: Interrupted) -> str:
    if stopped.stored:
        return f"stopped: {stopped.done} of {counted(stopped.total, 'run')} {'is' if stopped.done == 1 else 'are'} kept; the same command goes on from there"
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
