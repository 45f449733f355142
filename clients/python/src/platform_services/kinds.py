"""Checks of values whose type nobody declared."""

from __future__ import annotations

import dataclasses
import typing

if typing.TYPE_CHECKING:
    from typing_extensions import TypeGuard


def is_mapping(value: object) -> "TypeGuard[typing.Mapping[typing.Any, typing.Any]]":
    return isinstance(value, typing.Mapping)


def is_object(value: object) -> "TypeGuard[typing.Dict[str, typing.Any]]":
    """Returns whether a value from JSON is an object."""
    return isinstance(value, dict)


def is_list(value: object) -> "TypeGuard[typing.Sequence[typing.Any]]":
    return isinstance(value, (list, tuple))


def is_set(value: object) -> "TypeGuard[typing.AbstractSet[typing.Any]]":
    return isinstance(value, (set, frozenset))


def is_sequence(value: object) -> "TypeGuard[typing.Iterable[typing.Any]]":
    """Returns whether a value can be iterated, and is no text."""
    return isinstance(value, typing.Iterable) and not isinstance(value, (str, bytes, bytearray, memoryview))


def is_binary(value: object) -> "TypeGuard[typing.Union[bytes, bytearray, memoryview]]":
    return isinstance(value, (bytes, bytearray, memoryview))


def is_dataclass(value: object) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)
