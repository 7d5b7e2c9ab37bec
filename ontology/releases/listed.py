"""The releases that come with the package, and those in files of a user's own."""

from ...errors import UsageError
from ..release import Release
from .icd10 import ICD10
from .icd10cm import ICD10CM
from .own_file import is_reference, load_own

RELEASES = {release.name: release for release in (ICD10CM, ICD10)}
"""The releases by name; the first is the default."""

DEFAULT = next(iter(RELEASES))


def listed() -> str:
    """The releases in words: "icd10cm (ICD-10-CM) or icd10 (WHO ICD-10)"."""
    return " or ".join(f"{name} ({release.shown})" for name, release in RELEASES.items())


def find_release(reference: str) -> Release:
    """The release of a name, or of a user's own file: "path/to/release.py:NAME".

    Raises UsageError for a name that is none and for a file that holds no such release.
    """
    if is_reference(reference):
        release = load_own(reference)
        if release.name in RELEASES:
            raise UsageError(
                f"{reference}: {release.name} is the name of a release that comes with dxjudge"
            )
        return release
    if reference not in RELEASES:
        raise UsageError(
            f"no ontology release {reference!r}; there is {' and '.join(RELEASES)}, or a file of "
            "your own as path/to/release.py:NAME"
        )
    return RELEASES[reference]
