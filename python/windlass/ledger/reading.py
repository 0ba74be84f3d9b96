"""Readers of a ledger's values: each gives a value, or says what is wrong, where, and what to write instead."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from windlass.errors import InputError, WindlassError, core_errors, did_you_mean

Settings = Mapping[str, Any]
"""Dotted keys of a scenario and their values."""


class LedgerError(WindlassError):
    """A ledger is not what it has to be: it contradicts itself, or has a key that means nothing."""

    code = "ledger.broken"


@dataclass
class Book:
    """What all values of one file share: its name, and the references that are followed once all of it is read."""

    filename: str
    references: list[tuple[Item, str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Item:
    """A value with its line, and the words for its place in an error."""

    book: Book
    place: str
    line: int | None
    value: Any

    @property
    def key(self) -> str:
        """Its own key: the last of its place."""
        return self.place.strip("`").rpartition(".")[2]

    def fail(self, what: str, hint: str | None = None) -> NoReturn:
        """Refuse this value."""
        raise LedgerError(f"{self.place} {what}", file=self.book.filename, line=self.line, hint=hint)

    def inner(self, key: str, placed: Any) -> Item:
        """A value inside this one."""
        line, value = placed
        place = f"`{key}`" if not self.place else f"{self.place[:-1]}.{key}`"
        return Item(self.book, place, line, value)

    def table(self) -> dict[str, Item]:
        """The entries of a table."""
        if not isinstance(self.value, dict):
            self.fail(f"is {_kind(self.value)}, wanted is a table")
        return {key: self.inner(key, placed) for key, placed in self.value.items()}

    def list(self) -> list[Item]:
        """The elements of a list."""
        if not isinstance(self.value, list):
            self.fail(f"is {_kind(self.value)}, wanted is a list")
        return [Item(self.book, _named(value) or self.place, line, value) for line, value in self.value]

    def plain(self) -> Any:
        """The value without its lines."""
        if isinstance(self.value, dict):
            return {key: item.plain() for key, item in self.table().items()}
        if isinstance(self.value, list):
            return [item.plain() for item in self.list()]
        return self.value


Reader = Callable[[Item], Any]


@dataclass(frozen=True)
class Maybe:
    """A key that a table need not have, and what it has without it."""

    read: Reader
    default: Any = None


Schema = Mapping[str, "Reader | Maybe"]


def document(text: str, filename: str) -> Item:
    """A whole file.

    Raises
    ------
    LedgerError
        If it is no TOML.
    """
    from windlass import _core

    try:
        with core_errors():
            line, value = json.loads(_core.toml_with_lines(text, filename))
    except InputError as error:
        raise LedgerError(error.message, file=filename, line=error.line) from None
    return Item(Book(filename), "", line, value)


def fields(item: Item, schema: Schema) -> dict[str, Any]:
    """The values of a table, by key; a key that is not in the schema is refused, one that is missing, too."""
    given = item.table()
    of = f"{item.place} has " if item.place else "the ledger has "
    for key, inner in given.items():
        if key not in schema:
            hint = did_you_mean(key, schema) or f"there is {', '.join(f'`{name}`' for name in schema)}"
            raise LedgerError(f"{of}no key `{key}`", file=item.book.filename, line=inner.line, hint=hint)
    found = {}
    for key, reader in schema.items():
        if key in given:
            found[key] = (reader.read if isinstance(reader, Maybe) else reader)(given[key])
        elif isinstance(reader, Maybe):
            found[key] = reader.default
        else:
            raise LedgerError(
                f"{of}no `{key}`", file=item.book.filename, line=item.line, hint=f"write `{key} = ...` in that table"
            )
    return found


def text(item: Item) -> str:
    """Text."""
    if not isinstance(item.value, str):
        item.fail(f"is {_kind(item.value)}, wanted is text")
    return item.value


def number(item: Item) -> float:
    """A number."""
    if isinstance(item.value, bool) or not isinstance(item.value, (int, float)):
        item.fail(f"is {_kind(item.value)}, wanted is a number")
    return item.value


def whole(item: Item) -> int:
    """A whole number."""
    if isinstance(item.value, bool) or not isinstance(item.value, int):
        item.fail(f"is {_kind(item.value)}, wanted is a whole number")
    return item.value


def flag(item: Item) -> bool:
    """True or false."""
    if not isinstance(item.value, bool):
        item.fail(f"is {_kind(item.value)}, wanted is true or false")
    return item.value


def scalar(item: Item) -> Any:
    """Text, a number or a flag."""
    if isinstance(item.value, (dict, list)):
        item.fail(f"is {_kind(item.value)}, wanted is text or a number")
    return item.value


def anything(item: Item) -> Any:
    """Any value."""
    return item.plain()


def table(item: Item) -> dict[str, Any]:
    """A table of anything."""
    item.table()
    found: dict[str, Any] = item.plain()
    return found


def word(words: Iterable[str]) -> Reader:
    """One of some words."""
    known = list(words)

    def read(item: Item) -> str:
        if text(item) not in known:
            hint = did_you_mean(item.value, known) or f"it is one of {', '.join(f'`{name}`' for name in known)}"
            item.fail(f"cannot be `{item.value}`", hint)
        return str(item.value)

    return read


def listed(reader: Reader) -> Reader:
    """A list of such values, as a tuple."""
    return lambda item: tuple(reader(inner) for inner in item.list())


def one_or_more(reader: Reader) -> Reader:
    """One such value or a list of them, as a tuple."""
    return lambda item: (
        tuple(reader(inner) for inner in item.list()) if isinstance(item.value, list) else (reader(item),)
    )


def by_key(reader: Reader) -> Reader:
    """A table of such values under names of their own."""
    return lambda item: {key: reader(inner) for key, inner in item.table().items()}


def name_of(what: str) -> Reader:
    """The name of something that the file has elsewhere."""

    def read(item: Item) -> str:
        item.book.references.append((item, what, text(item)))
        return str(item.value)

    return read


def follow(book: Book, known: Mapping[str, Iterable[str]]) -> None:
    """Stop at the first reference that leads nowhere."""
    for item, what, name in book.references:
        names = list(known[what])
        if name not in names:
            hint = did_you_mean(name, names) or f"there is {', '.join(f'`{one}`' for one in names[:12])}"
            item.fail(f"names the {what} `{name}`, and there is none of that name", hint)


def _named(value: Any) -> str:
    """The words for an element of a list that has an id."""
    given = value.get("id", (None, None))[1] if isinstance(value, dict) else None
    return f"`{given}`" if isinstance(given, str) else ""


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"the number {value:g}"
    if isinstance(value, str):
        return f'"{value}"'
    return "a list" if isinstance(value, list) else "a table" if isinstance(value, dict) else "nothing"
