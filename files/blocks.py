"""The finished blocks of a job on many machines: Parquet files in a folder, each with its counts.

A block is there as a whole or not at all, because it is renamed when it is complete. So the files
are the journal of the job: they tell every machine, and the next run, what is finished.
"""

import json
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import PurePath
from typing import Any

from ..errors import MissingExtra, OutputError, UsageError
from .addresses import check_address

JOURNAL = "_journal"
"""The folder for blocks that are not output. Readers of folders leave out names with "_"."""

_COUNTS = b"dxjudge"
_WRITING = f"{JOURNAL}/writing"


def open_place(place: str) -> tuple[Any, str]:
    """Return the file system of a path or of an address (s3://…, file://…), and the path in it.

    Raises MissingExtra without pyarrow, and UsageError for an address of a kind it does not know,
    or with a secret.
    """
    try:
        import pyarrow.fs as systems
        from pyarrow import ArrowException
    except ImportError as fault:
        raise MissingExtra("a job on a cluster", "ray", fault) from fault
    if "://" not in place:
        return systems.LocalFileSystem(), os.path.abspath(place)
    check_address(place, "an address of files", "set it in the environment of every node, as AWS_…")
    try:
        files, path = systems.FileSystem.from_uri(place)
    except (ArrowException, ValueError, OSError) as fault:
        raise UsageError(f"{place} cannot be opened: {fault}") from fault
    return files, path.rstrip("/")


class Blocks:
    """The blocks in an output folder, by name; a name may contain folders ("mapped/000001").

    place: a path or an address. Several machines may write blocks at once.
    """

    def __init__(self, place: str) -> None:
        self.place = place
        self.files, self.path = open_place(place)

    def create(self, *folders: str) -> None:
        """Create the folder, and these folders in it. Raises OutputError where that fails."""
        with self._stored("write"):
            for name in (_WRITING, *folders):
                self.files.create_dir(f"{self.path}/{name}", recursive=True)

    def remove(self, *folders: str) -> None:
        """Remove these folders with all blocks in them, and what killed workers left.

        Raises OutputError where that fails.
        """
        with self._stored("change"):
            for name in (_WRITING, *folders):
                self.files.delete_dir_contents(f"{self.path}/{name}", missing_dir_ok=True)
                self.files.delete_dir(f"{self.path}/{name}")

    @contextmanager
    def for_now(self, *folders: str) -> Iterator[None]:
        """Create the folder, and these folders in it, and remove it with everything in it at last.

        Folders above it that were not there go too, where nothing else came into them. Raises
        OutputError where that fails.
        """
        from pyarrow.fs import FileSelector, FileType

        above = [path.as_posix() for path in PurePath(self.path).parents][:-1]
        with self._stored("read"):
            infos = self.files.get_file_info(above)
        self.create(*folders)
        try:
            yield
        finally:
            with self._stored("remove"):
                self.files.delete_dir(self.path)
                for info in infos:
                    if info.type != FileType.NotFound:
                        break
                    if self.files.get_file_info(FileSelector(info.path, allow_not_found=True)):
                        break
                    self.files.delete_dir(info.path)

    def check_empty(self) -> None:
        """Raise OutputError for a folder that has content, and for a file in its place."""
        from pyarrow.fs import FileSelector, FileType

        with self._stored("read"):
            [info] = self.files.get_file_info([self.path])
            is_folder = info.type == FileType.Directory
            content = self.files.get_file_info(FileSelector(self.path)) if is_folder else ()
        if info.type == FileType.File:
            raise OutputError(f"cannot write {self.place}: it is a file, and a folder is written")
        if content:
            raise OutputError(f"cannot write {self.place}: the folder is not empty")

    def counts(self, name: str) -> dict[str, Any] | None:
        """Return the counts of a finished block; None for one that is not there or damaged.

        Raises OutputError where the folder cannot be read.
        """
        import pyarrow.parquet as parquet

        with self._stored(f"read {name} in"):
            try:
                read = parquet.read_metadata(self._file(name), filesystem=self.files)
                counts: dict[str, Any] = json.loads((read.metadata or {})[_COUNTS])
            except (FileNotFoundError, ValueError, KeyError):
                return None
        return counts

    def write(self, name: str, tables: Iterable[Any], counts: Mapping[str, Any]) -> None:
        """Write a block, each table as a row group; at least one, and all of the same columns.

        counts: plain JSON, read after the last table, so that it can be filled with the tables.
        Raises OutputError where it cannot be written, and what reading the tables raises.
        """
        import pyarrow.parquet as parquet

        part, act = f"{self.path}/{_WRITING}/{uuid.uuid4().hex}", f"write {name} in"
        left = iter(tables)
        first = next(left)
        with self._stored(act):
            writer = parquet.ParquetWriter(part, first.schema, filesystem=self.files)
        with writer:
            for table in chain([first], left):
                with self._stored(act):
                    writer.write_table(table, row_group_size=max(table.num_rows, 1))
            with self._stored(act):
                writer.add_key_value_metadata({_COUNTS: json.dumps(counts)})
                writer.close()
                self.files.move(part, self._file(name))

    def read(self, name: str, group: int | None = None) -> Any:
        """Return a block as an Arrow table; only a row group of it, if one is given.

        Raises OutputError where it cannot be read.
        """
        import pyarrow.parquet as parquet

        with self._stored(f"read {name} in"):
            file = parquet.ParquetFile(self._file(name), filesystem=self.files)
            return file.read() if group is None else file.read_row_group(group)

    def rows_with(self, folder: str, column: str, values: Iterable[Any]) -> Iterator[Any]:
        """Yield record batches with the rows of all blocks in a folder that hold these values.

        Raises OutputError where they cannot be read.
        """
        import pyarrow
        import pyarrow.dataset as data
        from pyarrow.fs import FileSelector

        wanted = data.field(column).isin(pyarrow.array(list(values), pyarrow.string()))
        with self._stored(f"read {folder} in"):
            infos = self.files.get_file_info(FileSelector(f"{self.path}/{folder}"))
            if paths := sorted(info.path for info in infos):
                yield from data.dataset(paths, filesystem=self.files).to_batches(filter=wanted)

    def read_note(self, name: str) -> Any:
        """Return the JSON of a note beside the blocks; None where there is none.

        Raises OutputError where the folder cannot be read.
        """
        with self._stored(f"read {name} in"):
            try:
                with self.files.open_input_stream(f"{self.path}/{name}.json") as file:
                    return json.loads(file.read())
            except (FileNotFoundError, NotADirectoryError, ValueError):
                return None

    def write_note(self, name: str, value: Any) -> None:
        """Write JSON beside the blocks. Raises OutputError where it cannot be written."""
        part = f"{self.path}/{_WRITING}/{uuid.uuid4().hex}"
        with self._stored(f"write {name} in"):
            with self.files.open_output_stream(part) as file:
                file.write(json.dumps(value, indent=1).encode() + b"\n")
            self.files.move(part, f"{self.path}/{name}.json")

    def _file(self, name: str) -> str:
        return f"{self.path}/{name}.parquet"

    @contextmanager
    def _stored(self, act: str) -> Iterator[None]:
        """Raise OutputError where the folder fails or holds what is damaged."""
        from pyarrow import ArrowInvalid

        try:
            yield
        except (OSError, ArrowInvalid) as fault:
            raise OutputError(f"cannot {act} {self.place}: {fault}") from fault
