"""Records of a change, one for each field that differs."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import enum
import json
import math
import typing

from .kinds import is_binary, is_dataclass, is_list, is_mapping, is_set
from .operations import UNSET
from .types.log import AttributeInput, AuthorInput, CreateLogInput, EventLocationInput, EventSourceInput, ValueInput

# Maximum depth; deeper objects are logged as a whole, as JSON.
_MOST_DEPTH = 16


@dataclasses.dataclass(frozen=True)
class AuditSubject:
    """Values shared by all records of a change."""

    document_type: str
    document_id: str
    author: typing.Optional[AuthorInput] = None
    # Time of the change; now by default.
    date_time: typing.Union[str, datetime.datetime, None] = None
    # By default create, update or delete, derived from the objects.
    action: typing.Optional[str] = None
    event_source: typing.Optional[EventSourceInput] = None
    event_location: typing.Optional[EventLocationInput] = None
    # Fields to leave out, such as password or address.note.
    ignore: typing.Collection[str] = ()


def audit(before: typing.Any, after: typing.Any, subject: AuditSubject) -> typing.List[CreateLogInput]:
    """
    Returns a record for each field that differs, in the order of the fields; without `before` the document was created, without
    `after` deleted. Both are mappings, dataclasses or other objects with attributes. Fields of nested mappings and dataclasses
    have names such as `address.city`; lists are compared and logged as JSON. A field that is None or absent has no value.
    """
    old, new = _fields_of(before), _fields_of(after)
    changed = [name for name in {**old, **new} if old.get(name) != new.get(name) and not _is_ignored(name, subject.ignore)]
    happened = "create" if before is None else "delete" if after is None else "update"
    return [
        CreateLogInput(
            document_type=subject.document_type,
            document_id=subject.document_id,
            date_time=subject.date_time or datetime.datetime.now(datetime.timezone.utc),
            action=subject.action or happened,
            attribute=AttributeInput(id=name, name=name),
            attribute_old_value=_value_of(old.get(name)),
            attribute_new_value=_value_of(new.get(name)),
            author=subject.author or UNSET,
            event_source=subject.event_source or UNSET,
            event_location=subject.event_location or UNSET,
        )
        for name in changed
    ]


def _is_ignored(name: str, ignore: typing.Collection[str]) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in ignore)


def _value_of(raw: typing.Optional[str]) -> typing.Optional[ValueInput]:
    return None if raw is None else ValueInput(raw=raw)


def _fields_of(given: typing.Any) -> typing.Dict[str, str]:
    """Returns the fields that have a value, each as text."""
    found: typing.Dict[str, str] = {}
    if given is not None:
        fields = _inner(given)
        _collect(_attributes(given) if fields is None else fields, "", 0, found)
    return found


def _collect(fields: typing.Mapping[str, typing.Any], prefix: str, depth: int, found: typing.Dict[str, str]) -> None:
    for key, value in fields.items():
        inner = _inner(value) if depth < _MOST_DEPTH else None
        if inner is not None:
            _collect(inner, f"{prefix}{key}.", depth + 1, found)
        elif value is not None:
            found[f"{prefix}{key}"] = _text_of(value)


def _inner(value: typing.Any) -> typing.Optional[typing.Dict[str, typing.Any]]:
    """Returns the fields of a mapping or a dataclass; None for anything else."""
    if is_mapping(value):
        return {str(name): one for name, one in value.items()}
    if is_dataclass(value):
        # An object of a response has only the selected fields.
        return {one.name: getattr(value, one.name) for one in dataclasses.fields(value) if hasattr(value, one.name)}
    return None


def _vars(value: typing.Any) -> typing.Dict[str, typing.Any]:
    return value.__dict__


def _attributes(value: typing.Any) -> typing.Dict[str, typing.Any]:
    if not hasattr(value, "__dict__"):
        raise TypeError("audit compares mappings, dataclasses and other objects with attributes")
    return {name: one for name, one in _vars(value).items() if not name.startswith("_")}


def _text_of(value: typing.Any) -> str:
    """Returns texts and times unchanged, everything else as JSON with sorted names."""
    plain = _plain(value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _plain(value: typing.Any) -> typing.Any:
    """Converts a value to a JSON type."""
    if isinstance(value, enum.Enum):
        return _plain(value.value)
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(value)
        return int(value) if value.is_integer() and abs(value) < 2**53 else value  # 2.0 is written as 2
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if is_binary(value):
        return base64.b64encode(value).decode()
    if is_list(value):
        return [_plain(one) for one in value]
    if is_set(value):
        return sorted((_plain(one) for one in value), key=lambda one: json.dumps(one, sort_keys=True))
    inner = _inner(value)
    if inner is None:
        return str(value)  # such as a Decimal, a UUID or a path
    return {name: _plain(one) for name, one in inner.items()}
