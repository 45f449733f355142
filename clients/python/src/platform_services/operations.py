"""Base classes of the generated modules, and the conversion of a call to a document."""

from __future__ import annotations

import datetime
import enum
import typing
import uuid


class _Unset:
    """Value of an input that is left out; None is sent as null."""

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET: typing.Any = _Unset()


class Choice(str, enum.Enum):
    """A value of an enum, equal to its text."""

    def __str__(self) -> str:
        return str(self.value)


class Input:
    """An object to send. Fields that stay UNSET are left out, and None is sent as null."""

    _WIRE: typing.ClassVar[typing.Dict[str, str]] = {}


class Record:
    """An object of a response. It has the selected fields; reading another is an AttributeError."""

    _WIRE: typing.ClassVar[typing.Dict[str, typing.Tuple[str, typing.Optional[str]]]] = {}

    if not typing.TYPE_CHECKING:  # a type checker knows the fields

        def __getattr__(self, name):
            if any(name == own for own, _ in type(self)._WIRE.values()):
                raise AttributeError(f"{type(self).__name__}.{name} was not selected: name it in select")
            raise AttributeError(f"{type(self).__name__} has no {name}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)


class Operation(typing.NamedTuple):
    kind: str
    name: str
    # Schema name and type of each argument.
    arguments: typing.Dict[str, typing.Tuple[str, str]]
    # Class of the response; None for a scalar.
    result: typing.Optional[str]
    types: typing.Dict[str, type]
    # Fields to select by default.
    fields: typing.Optional[str]
    # The same for an item, in operations that return pages.
    item_fields: typing.Optional[str]
    # Path of the objects with an idempotency key: an argument, or a list in it.
    key: typing.Optional[str]
    is_repeatable: bool


# Sends a document with its variables to a service, and returns the data of the response.
Send = typing.Callable[[str, str, typing.Dict[str, typing.Any], bool], typing.Dict[str, typing.Any]]


class Service:
    """A service of the platform."""

    _SERVICE: typing.ClassVar[str]

    def __init__(self, send: Send) -> None:
        self._send = send

    def _call(
        self, operation: Operation, given: typing.Dict[str, typing.Any], select: typing.Optional[str]
    ) -> typing.Any:
        return self._run(operation, given, select if select is not None else operation.fields)

    def _run(self, operation: Operation, given: typing.Dict[str, typing.Any], fields: typing.Optional[str]) -> typing.Any:
        used = [operation.arguments[name] for name, value in given.items() if value is not UNSET]
        declared = ", ".join(f"${name}: {kind}" for name, kind in used)
        passed = ", ".join(f"{name}: ${name}" for name, _ in used)
        document = f"{operation.kind} {operation.name}" + (f"({declared})" if declared else "")
        document += f" {{ {operation.name}" + (f"({passed})" if passed else "") + (f" {{ {fields} }}" if fields else "") + " }"
        variables = {operation.arguments[name][0]: encode(value) for name, value in given.items() if value is not UNSET}
        if operation.key:
            _add_keys(variables, operation.key.split("."))
        data = self._send(self._SERVICE, document, variables, operation.is_repeatable)
        return decode(operation.types, operation.result, data[operation.name])

    def _walk(
        self, operation: Operation, given: typing.Dict[str, typing.Any], select: typing.Optional[str]
    ) -> typing.Iterator[typing.Any]:
        fields = f"items {{ {select if select is not None else operation.item_fields} }} nextToken"
        token: typing.Any = UNSET
        while token is not None:
            page = self._run(operation, {**given, "next_token": token}, fields)
            yield from page.items
            token = page.next_token


def _add_keys(variables: typing.Dict[str, typing.Any], path: typing.List[str]) -> None:
    """Adds an idempotency key to every object without one, so that the operation can be repeated."""
    name, *rest = path
    given = variables.get(name)
    if rest:
        if isinstance(given, dict):
            _add_keys(given, rest)
        return
    for one in given if isinstance(given, list) else [given]:
        if isinstance(one, dict) and one.get("idempotencyKey") is None:
            one["idempotencyKey"] = str(uuid.uuid4())


def encode(value: typing.Any) -> typing.Any:
    """Converts a value to a JSON type."""
    if isinstance(value, Input):
        given = {wire: getattr(value, name) for name, wire in type(value)._WIRE.items()}
        return {wire: encode(one) for wire, one in given.items() if one is not UNSET}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            raise ValueError("A datetime needs its time zone, such as datetime.now(timezone.utc)")
        return value.isoformat()
    if isinstance(value, dict):
        return {name: encode(one) for name, one in value.items() if one is not UNSET}
    if isinstance(value, (str, bytes)) or not isinstance(value, typing.Iterable):
        return value
    return [encode(one) for one in value]


def decode(types: typing.Dict[str, type], name: typing.Optional[str], value: typing.Any) -> typing.Any:
    """Creates objects and enums from a response. An enum value added by a newer server stays text."""
    if name is None or value is None:
        return value
    if isinstance(value, list):
        return [decode(types, name, one) for one in value]
    made = types[name]
    if issubclass(made, Choice):
        return made(value) if value in made._value2member_map_ else value
    record = made.__new__(made)
    wires = typing.cast(typing.Type[Record], made)._WIRE
    for wire, one in value.items():
        own, inner = wires.get(wire, (wire, None))
        record.__dict__[own] = decode(types, inner, one)
    return record
