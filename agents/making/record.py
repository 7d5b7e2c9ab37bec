"""Define a case record: for each field, passages of a case report with their offsets."""

from pydantic import BaseModel, ConfigDict

from ..rules.quotes import Quote

NOT_DOCUMENTED = "not documented"
"""The text of a field that the report does not mention."""


class Record(BaseModel):
    """The passages of the report for each field; an empty field is not documented.

    The offsets of the quotes count the characters of the whole report.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    fields: dict[str, tuple[Quote, ...]]

    def documented(self, name: str) -> bool:
        """Whether the report documents this field."""
        return bool(self.fields[name])

    def passages(self, *names: str) -> tuple[str, ...]:
        """Return the passages of these fields; without names, of all fields."""
        chosen = names or tuple(self.fields)
        return tuple(quote.text for name in chosen for quote in self.fields[name])

    def text(self, name: str) -> str:
        """Return the passages of a field as one text, or `not documented`."""
        return " / ".join(self.passages(name)) or NOT_DOCUMENTED

    def sheet(self) -> str:
        """Return the record as a text for a prompt, with one line for each field."""
        return "\n".join(f"{name}: {self.text(name)}" for name in self.fields)

    def row(self) -> dict[str, list[str] | str]:
        """Return the record as a row: for each field a list of passages, or `not documented`."""
        return {name: list(self.passages(name)) or NOT_DOCUMENTED for name in self.fields}
