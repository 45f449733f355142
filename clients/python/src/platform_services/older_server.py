"""Keeps a newer client working with a service of an older server: it asks for what the server has, and says what it lacks."""

from __future__ import annotations

import re
import time
import typing
from collections import deque

from .errors import PlatformError, UnsupportedError

Variables = typing.Dict[str, typing.Any]
# The fields of each type that a service has, and the arguments of each field as those of Type.field, with the type of each.
_Types = typing.Dict[str, typing.Dict[str, str]]

# A type is at most a list in a list of what never is null.
_NAMED = "name type { name ofType { name ofType { name ofType { name } } } }"
_QUERY = f"{{ __schema {{ types {{ name fields(includeDeprecated: true) {{ {_NAMED} args {{ {_NAMED} }} }} inputFields {{ {_NAMED} }} }} }} }}"
_ROOTS = {"query": "Query", "mutation": "Mutation"}
# A server can be updated while its clients run.
_READ_AGAIN = 600.0
_TOKEN = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\])*"|\.\.\.|[^\s,(){}\[\]:]+|[(){}\[\]:]')


class Asked(typing.NamedTuple):
    """A call as it is asked for."""

    kind: str
    name: str
    # The fields in GraphQL, and whether the caller selected them.
    fields: typing.Optional[str]
    is_selected: bool
    # What the caller gave.
    given: Variables
    # The same with idempotency keys of the client's own.
    keyed: Variables


class Sent(typing.NamedTuple):
    """A call as a server takes it."""

    fields: typing.Optional[str]
    variables: Variables
    # Whether the server knows of the idempotency keys.
    is_keyed: bool


class OlderServer:
    """A service, whose schema is read once it refused something."""

    def __init__(self, read: typing.Callable[[str], typing.Dict[str, typing.Any]]) -> None:
        """`read` sends a document and returns its data."""
        self._read = read
        self._known: typing.Tuple[_Types, float] = ({}, 0.0)

    def ask(self, asked: Asked, send: typing.Callable[[Sent], typing.Dict[str, typing.Any]]) -> typing.Dict[str, typing.Any]:
        """Asks for all fields of an operation, or for those of them that the server has. Raises UnsupportedError."""
        types, valid_until = self._known
        sent = _suited(types, asked) if time.monotonic() < valid_until else Sent(asked.fields, asked.keyed, True)
        try:
            return send(sent)
        except PlatformError as error:
            # Nothing was done of an operation that is not valid.
            if not _is_of_unknown(error):
                raise
            types = self._read_types()
            lacked = _lacked(types, asked)
            if lacked is not None:
                raise self._unsupported(asked.name, lacked, error) from error
            again = _suited(types, asked)
            if again == sent:
                raise  # what it refused is something else
        return send(again)

    def _read_types(self) -> _Types:
        types: _Types = {}
        for one in self._read(_QUERY)["__schema"]["types"]:
            types[one["name"]] = _typed(one["fields"] or one["inputFields"] or [])
            for field in one["fields"] or []:
                types[f"{one['name']}.{field['name']}"] = _typed(field["args"])
        self._known = types, time.monotonic() + _READ_AGAIN
        return types

    def _unsupported(self, name: str, lacked: str, cause: PlatformError) -> UnsupportedError:
        try:
            version: typing.Optional[str] = str(self._read("{ version }")["version"])
        except PlatformError:
            version = None  # a key without queries may not ask for it
        server = "The server" if version is None else f"The server, version {version},"
        what = f"{name}: update the server" if lacked == name else f"{lacked} of {name}: update the server, or leave it out"
        return UnsupportedError(f"{server} has no {what}", lacked, version, cause)


def _is_of_unknown(error: PlatformError) -> bool:
    """Whether a server may have refused something because it does not know it."""
    if error.code == "GRAPHQL_VALIDATION_FAILED":
        return True
    return error.code == "BAD_USER_INPUT" and "is not defined by type" in error.message


def _typed(named: typing.List[typing.Dict[str, typing.Any]]) -> typing.Dict[str, str]:
    return {one["name"]: _innermost(one["type"]) for one in named}


def _innermost(kind: typing.Dict[str, typing.Any]) -> str:
    return _innermost(kind["ofType"]) if kind.get("ofType") else kind["name"] or ""


def _suited(types: _Types, asked: Asked) -> Sent:
    """The call as a server takes it: with the fields that it has, and without idempotency keys where it takes none."""
    root = _ROOTS[asked.kind]
    arguments = types.get(f"{root}.{asked.name}")
    is_keyed = arguments is None or _input_lacked(types, arguments, asked.keyed) is None
    fields = asked.fields
    kind = types.get(root, {}).get(asked.name)
    if not asked.is_selected and fields and kind is not None:
        # An operation of which the server has no field is refused by name.
        fields = _kept(types, kind, fields_of(fields)) or fields
    return Sent(fields, asked.keyed if is_keyed else asked.given, is_keyed)


def _lacked(types: _Types, asked: Asked) -> typing.Optional[str]:
    """The path of what a call has and the server does not, such as input.accept; the name of the operation, if it lacks that."""
    root = _ROOTS[asked.kind]
    kind = types.get(root, {}).get(asked.name)
    if kind is None:
        return asked.name
    lacked = _input_lacked(types, types[f"{root}.{asked.name}"], asked.given)
    if lacked is not None or not asked.is_selected or not asked.fields:
        return lacked
    try:
        return _selected_lacked(types, kind, fields_of(asked.fields))
    except (ValueError, IndexError):
        return None  # it is more than fields and arguments


def _input_lacked(types: _Types, known: typing.Dict[str, str], given: Variables) -> typing.Optional[str]:
    """Looks through the objects and lists of an input."""
    for name, value in given.items():
        kind = known.get(name)
        if kind is None:
            return name
        fields = types.get(kind)
        for one in value if isinstance(value, list) else [value]:
            inner = _input_lacked(types, fields, one) if fields and isinstance(one, dict) else None
            if inner is not None:
                return f"{name}.{inner}"
    return None


class Field(typing.NamedTuple):
    """A field that is asked for, the names of its arguments, and the fields of its object."""

    name: str
    arguments: typing.List[str]
    inner: typing.List["Field"]


def _selected_lacked(types: _Types, kind: str, fields: typing.List[Field]) -> typing.Optional[str]:
    for name, arguments, inner in fields:
        field_kind = types.get(kind, {}).get(name)
        if field_kind is None:
            return name
        known = types.get(f"{kind}.{name}", {})
        further = next((one for one in arguments if one not in known), None) or _selected_lacked(types, field_kind, inner)
        if further is not None:
            return f"{name}.{further}"
    return None


def _kept(types: _Types, kind: str, fields: typing.List[Field]) -> str:
    """The fields that the server has, in GraphQL."""
    kept = []
    for name, _, inner in fields:
        field_kind = types.get(kind, {}).get(name)
        own = _kept(types, field_kind, inner) if field_kind is not None else ""
        if field_kind is not None and (own or not inner):
            kept.append(f"{name} {{ {own} }}" if own else name)
    return " ".join(kept)


def fields_of(text: str) -> typing.List[Field]:
    """Reads what comes between the braces of a selection. Raises ValueError or IndexError for what is more than fields and arguments."""
    tokens = deque(_TOKEN.findall(text))
    found = _read_fields(tokens)
    if tokens:
        raise ValueError("a brace too much")
    return found


def _read_fields(tokens: typing.Deque[str]) -> typing.List[Field]:
    found = []
    while tokens and tokens[0] != "}":
        name = tokens.popleft()
        if tokens and tokens[0] == ":":  # it was an alias
            tokens.popleft()
            name = tokens.popleft()
        if not re.fullmatch(r"[_A-Za-z][_0-9A-Za-z]*", name):
            raise ValueError(f"{name} is no field")
        arguments = _read_arguments(tokens) if tokens and tokens[0] == "(" else []
        inner = []
        if tokens and tokens[0] == "{":
            tokens.popleft()
            inner = _read_fields(tokens)
            tokens.popleft()
        found.append(Field(name, arguments, inner))
    return found


def _read_arguments(tokens: typing.Deque[str]) -> typing.List[str]:
    names: typing.List[str] = []
    depth = 0
    while True:
        token = tokens.popleft()
        depth += (token in "([{") - (token in ")]}")
        if depth == 0:
            return names
        if depth == 1 and tokens[0] == ":":
            names.append(token)
