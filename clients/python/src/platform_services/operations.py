"""Base classes of the generated modules, and the conversion of a call to a document."""

from __future__ import annotations

import base64
import datetime
import enum
import json
import typing
import uuid

from .kinds import is_binary, is_list, is_mapping, is_object, is_sequence
from .runtime import run

# A text, or a value that is sent as its JSON.
Json = typing.Union[str, int, float, bool, typing.Mapping[str, typing.Any], typing.Sequence[typing.Any]]

# Marks times among the classes of a response.
_TIME = "DateTime"


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

    WIRE: typing.ClassVar[typing.Dict[str, str]] = {}
    # Fields that are sent as JSON.
    JSON: typing.ClassVar[typing.FrozenSet[str]] = frozenset()


class Record:
    """An object of a response. It has the selected fields; reading another is an AttributeError."""

    WIRE: typing.ClassVar[typing.Dict[str, typing.Tuple[str, typing.Optional[str]]]] = {}

    if not typing.TYPE_CHECKING:  # a type checker knows the fields

        def __getattr__(self, name):
            if any(name == own for own, _ in type(self).WIRE.values()):
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
Send = typing.Callable[
    [str, str, typing.Dict[str, typing.Any], bool], typing.Coroutine[typing.Any, typing.Any, typing.Dict[str, typing.Any]]
]


class _Calls:
    """A service of the platform."""

    _SERVICE: typing.ClassVar[str]

    def __init__(self, send: Send) -> None:
        self._send = send

    async def _run(
        self, operation: Operation, given: typing.Dict[str, typing.Any], fields: typing.Optional[str]
    ) -> typing.Any:
        used = [operation.arguments[name] for name, value in given.items() if value is not UNSET]
        declared = ", ".join(f"${name}: {kind}" for name, kind in used)
        passed = ", ".join(f"{name}: ${name}" for name, _ in used)
        document = f"{operation.kind} {operation.name}" + (f"({declared})" if declared else "")
        document += f" {{ {operation.name}" + (f"({passed})" if passed else "") + (f" {{ {fields} }}" if fields else "") + " }"
        variables = {operation.arguments[name][0]: encode(value) for name, value in given.items() if value is not UNSET}
        if operation.key:
            _add_keys(variables, operation.key.split("."))
        data = await self._send(self._SERVICE, document, variables, operation.is_repeatable)
        return decode(operation.types, operation.result, data[operation.name])

    async def _page(
        self, operation: Operation, given: typing.Dict[str, typing.Any], select: typing.Optional[str], token: typing.Any
    ) -> typing.Any:
        fields = f"items {{ {select if select is not None else operation.item_fields} }} nextToken"
        return await self._run(operation, {**given, "next_token": token}, fields)


class Service(_Calls):
    """A service of the platform, for `Client`."""

    def _call(
        self, operation: Operation, given: typing.Dict[str, typing.Any], select: typing.Optional[str]
    ) -> typing.Any:
        return run(self._run(operation, given, select if select is not None else operation.fields))

    def _walk(
        self, operation: Operation, given: typing.Dict[str, typing.Any], select: typing.Optional[str]
    ) -> typing.Iterator[typing.Any]:
        token: typing.Any = UNSET
        while token is not None:
            page = run(self._page(operation, given, select, token))
            yield from page.items
            token = page.next_token


class AsyncService(_Calls):
    """A service of the platform, for `AsyncClient`."""

    async def _call(
        self, operation: Operation, given: typing.Dict[str, typing.Any], select: typing.Optional[str]
    ) -> typing.Any:
        return await self._run(operation, given, select if select is not None else operation.fields)

    async def _walk(
        self, operation: Operation, given: typing.Dict[str, typing.Any], select: typing.Optional[str]
    ) -> typing.AsyncIterator[typing.Any]:
        token: typing.Any = UNSET
        while token is not None:
            page = await self._page(operation, given, select, token)
            for item in page.items:
                yield item
            token = page.next_token


def _add_keys(variables: typing.Dict[str, typing.Any], path: typing.List[str]) -> None:
    """Adds an idempotency key to every object without one, so that the operation can be repeated."""
    name, *rest = path
    given = variables.get(name)
    if rest:
        if is_object(given):
            _add_keys(given, rest)
        return
    for one in given if is_list(given) else [given]:
        if is_object(one) and one.get("idempotencyKey") is None:
            one["idempotencyKey"] = str(uuid.uuid4())


def encode(value: typing.Any) -> typing.Any:
    """Converts a value to a JSON type."""
    if isinstance(value, Input):
        kind = type(value)
        given = {name: one for name in kind.WIRE if (one := getattr(value, name)) is not UNSET}
        return {kind.WIRE[name]: _text_of(one) if name in kind.JSON else encode(one) for name, one in given.items()}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            raise ValueError("A datetime needs its time zone, such as datetime.now(timezone.utc)")
        return value.isoformat()
    if is_binary(value):
        return base64.b64encode(value).decode()
    if is_mapping(value):
        return {name: encode(one) for name, one in value.items() if one is not UNSET}
    return [encode(one) for one in value] if is_sequence(value) else value


def _text_of(value: typing.Any) -> typing.Optional[str]:
    """Returns a text unchanged, and any other value as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(dict(value) if is_mapping(value) else value, ensure_ascii=False, allow_nan=False)


def decode(types: typing.Dict[str, type], name: typing.Optional[str], value: typing.Any) -> typing.Any:
    """Creates objects, enums and times from a response. An enum value added by a newer server stays text."""
    if name is None or value is None:
        return value
    if is_list(value):
        return [decode(types, name, one) for one in value]
    if name == _TIME:
        return time_of(value)
    kind: typing.Any = types[name]
    if issubclass(kind, Choice):
        return kind(value) if value in kind._value2member_map_ else value
    made: typing.Type[Record] = types[name]
    record = object.__new__(made)
    wires = made.WIRE
    for wire, one in value.items():
        own, inner = wires.get(wire, (wire, None))
        record.__dict__[own] = decode(types, inner, one)
    return record


def time_of(text: str) -> datetime.datetime:
    """Returns a time of a response, in UTC; one outside the years 1 to 9999 as the nearest that Python has."""
    try:
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        nearest = datetime.datetime.max if text.startswith("+") else datetime.datetime.min
        return nearest.replace(tzinfo=datetime.timezone.utc)
