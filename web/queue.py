"""Map the texts of many requests in common batches, so that a busy service stays fast."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from ..graphs.mapper import Mapper
from ..ontology.mapping import Mapping

_BATCH = 64  # texts that are mapped at once
_REMEMBERED = 10_000  # mappings; each takes some kilobytes


class Busy(Exception):
    """More texts are waiting than the service allows."""


@dataclass
class MapperQueue:
    """One mapper for all requests, which remembers the latest 10,000 mappings.

    workers: how many batches are mapped at once. most: how many texts may wait. waiting: how many
    do.
    """

    mapper: Mapper
    workers: int
    most: int
    waiting: int = 0
    _requests: "asyncio.Queue[tuple[list[str], asyncio.Future[list[Mapping]]]]" = field(
        default_factory=asyncio.Queue
    )
    _known: dict[str, Mapping] = field(default_factory=dict)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Map what is asked for until the block ends."""
        with ThreadPoolExecutor(self.workers, "mapper") as pool:
            tasks = [asyncio.create_task(self._work(pool)) for _ in range(self.workers)]
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def map(self, texts: list[str]) -> list[Mapping]:
        """Return the mappings of texts, in their order.

        Raises Busy where too many texts wait already, and what the mapper raises.
        """
        if self.waiting and self.waiting + len(texts) > self.most:
            raise Busy
        future: asyncio.Future[list[Mapping]] = asyncio.get_running_loop().create_future()
        self.waiting += len(texts)
        try:
            self._requests.put_nowait((texts, future))
            return await future
        finally:
            self.waiting -= len(texts)

    async def _work(self, pool: ThreadPoolExecutor) -> None:
        loop = asyncio.get_running_loop()
        while True:
            batch = [await self._requests.get()]
            while not self._requests.empty() and sum(len(texts) for texts, _ in batch) < _BATCH:
                batch.append(self._requests.get_nowait())
            wanted = {text for texts, future in batch if not future.done() for text in texts}
            new = [text for text in wanted if text not in self._known]
            known = {text: self._known[text] for text in wanted if text in self._known}
            try:
                mappings = await loop.run_in_executor(pool, self.mapper.map_many, new)
            except Exception as error:  # it belongs to the requests, and the worker goes on
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                continue
            by_text = known | {mapping.text: mapping for mapping in mappings}
            self._remember(by_text)
            for texts, future in batch:
                if not future.done():
                    future.set_result([by_text[text] for text in texts])

    def _remember(self, mappings: dict[str, Mapping]) -> None:
        # Those of the latest batches come last, so that the oldest are forgotten first.
        for text, mapping in mappings.items():
            self._known.pop(text, None)
            if mapping.status != "failed":
                self._known[text] = mapping
        for text in list(self._known)[: max(0, len(self._known) - _REMEMBERED)]:
            del self._known[text]
