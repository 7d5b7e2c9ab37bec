"""Load the rules for questions that separate two images (`prompts/pairs_NAME.yaml`)."""

from typing import Annotated

from pydantic import BaseModel, Field

from .data import FROZEN, Text
from .load_data import Source, load_data, loaded_by


class PairRules(BaseModel):
    """The rules that code checks in a question about two images.

    caption: the least characters of a caption. question_words, option_words: the most words.
    option_ratio: the longer option has at most so many times the characters of the shorter one.
    nouns: words for an image. marks: what makes a noun one of the two ("image 1"). ordinals: words
    before a noun that make it one of the two, or both ("second image"). words: words and phrases
    that compare, or that speak of the captions.
    """

    model_config = FROZEN

    name: Text
    version: int
    source: Text
    caption: int = Field(ge=1)
    question_words: int = Field(ge=3)
    option_words: int = Field(ge=1)
    option_ratio: float = Field(ge=1)
    nouns: tuple[Text, ...] = Field(min_length=1)
    marks: tuple[Text, ...]
    ordinals: tuple[Text, ...]
    words: tuple[Text, ...]

    @property
    def phrases(self) -> tuple[str, ...]:
        """All phrases that neither question nor options may contain, in lower case."""
        marked = [f"{noun} {mark}" for noun in self.nouns for mark in self.marks]
        ordered = [f"{ordinal} {noun}" for ordinal in self.ordinals for noun in self.nouns]
        plural = [f"{noun}s" for noun in self.nouns]
        return tuple(phrase.lower() for phrase in (*marked, *ordered, *plural, *self.words))


def load_pair_rules(source: Source) -> PairRules:
    """Load rules by name or path. Raises UsageError naming the file and the field."""
    return load_data("pairs", source, PairRules)


# A type for the inputs of steps: the rules themselves, or their name or path.
PairRulesField = Annotated[PairRules, loaded_by(load_pair_rules)]
