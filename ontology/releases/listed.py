"""Find a release by its name, or in the user's own file."""

from ...errors import UsageError
from ..release import Release
from .editions import is_edition, load_edition
from .icd10 import ICD10
from .icd10cm import ICD10CM
from .own_file import is_reference, load_own

RELEASES = {release.name: release for release in (ICD10CM, ICD10)}
"""The releases by name; the first is the default."""

DEFAULT = next(iter(RELEASES))


def listed() -> str:
    """Return the releases in words: "icd10cm (ICD-10-CM) or icd10 (WHO ICD-10)"."""
    return " or ".join(f"{name} ({release.shown})" for name, release in RELEASES.items())


def find_release(reference: str) -> Release:
    """Return the release with a name, in the user's file, or another edition of ICD-10-CM.

    A file is written "path/to/release.py:NAME", an edition "icd10cm@FOLDER" (`load_edition`).

    Raises UsageError for an unknown name and for a file that does not define the release, and
    InputError for a folder without the files of an edition.
    """
    if is_reference(reference):
        release = load_own(reference)
        if release.name in RELEASES:
            raise UsageError(
                f"{reference}: {release.name} is the name of a release that comes with dxjudge"
            )
        return release
    if is_edition(reference):
        return load_edition(reference)
    if reference not in RELEASES:
        raise UsageError(
            f"no ontology release {reference!r}; there is {' and '.join(RELEASES)}, or your own "
            f"file as path/to/release.py:NAME, or another edition as {ICD10CM.name}@FOLDER"
        )
    return RELEASES[reference]
