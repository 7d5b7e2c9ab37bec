"""A case record: passages of a case report, field by field, each with its place in the report."""

from pydantic import BaseModel, ConfigDict

from ..quotes import Quote

NOT_DOCUMENTED = "not documented"
"""What stands in a field that the report says nothing about: a value, never a guess."""


class Record(BaseModel):
    """Field -> the passages of the report that fill it; an empty field is not documented.

    Offsets of the quotes count characters of the whole report.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    fields: dict[str, tuple[Quote, ...]]

    def documented(self, name: str) -> bool:
        """Whether the report says anything about this field."""
        return bool(self.fields[name])

    def passages(self, *names: str) -> tuple[str, ...]:
        """The passages of these fields, of all fields where none is named."""
        chosen = names or tuple(self.fields)
        return tuple(quote.text for name in chosen for quote in self.fields[name])

    def text(self, name: str) -> str:
        """The passages of one field as one text, or `not documented`."""
        return " / ".join(self.passages(name)) or NOT_DOCUMENTED

    def sheet(self) -> str:
        """The record as a prompt shows it: one line a field."""
        return "\n".join(f"{name}: {self.text(name)}" for name in self.fields)

    def row(self) -> dict[str, list[str] | str]:
        """The record as a row of data: a list of passages a field, or `not documented`."""
        return {name: list(self.passages(name)) or NOT_DOCUMENTED for name in self.fields}
