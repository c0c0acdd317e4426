"""Network connections that a test can delay, disturb and cut: TCP relays on loopback, one for each pair of peers."""

import asyncio
import random
from contextlib import suppress
from dataclasses import dataclass, field

LOOPBACK = "127.0.0.1"
RETRANSMISSION_S = 0.2
"""How long a lost packet holds up a connection: Linux's shortest time until it is sent again."""
_CHUNK = 1 << 16


@dataclass(eq=False)
class Link:
    """A relay to a port on loopback. Set its attributes at any time; they hold for open connections too."""

    port: int
    """The port on which it listens."""
    target_port: int
    delay_s: float = 0.0
    """The delay in each direction."""
    loss: float = 0.0
    """The share of chunks that arrive late, as after a lost packet."""
    _whole: asyncio.Event = field(default_factory=asyncio.Event)
    _open: set[asyncio.Task[None]] = field(default_factory=set)
    _choose: random.Random = field(default_factory=lambda: random.Random(1))  # noqa: S311 (not a secret)

    async def start(self) -> None:
        self._whole.set()
        self._server = await asyncio.start_server(self._relay, LOOPBACK, self.port)

    async def stop(self) -> None:
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    def cut(self) -> None:
        """Holds back all bytes in both directions, and closes nothing."""
        self._whole.clear()

    def mend(self) -> None:
        """Passes on what was sent since `cut`."""
        self._whole.set()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            await self._whole.wait()
            with suppress(OSError):
                to_reader, to_writer = await asyncio.open_connection(LOOPBACK, self.target_port)
                pumps = [
                    asyncio.create_task(self._pump(reader, to_writer)),
                    asyncio.create_task(self._pump(to_reader, writer)),
                ]
                try:
                    await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    for pump in pumps:
                        pump.cancel()
                    to_writer.close()
        finally:
            self._open.discard(task)
            writer.close()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Passes bytes on, in order, until one side closes. Delays overlap, so that they do not limit the rate."""
        loop = asyncio.get_running_loop()
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(maxsize=256)

        async def write() -> None:
            while True:
                due, chunk = await waiting.get()
                await asyncio.sleep(due - loop.time())
                await self._whole.wait()
                writer.write(chunk)
                await writer.drain()
                if not chunk:
                    return

        writing = asyncio.create_task(write())
        try:
            with suppress(OSError):
                while chunk := await reader.read(_CHUNK):
                    late = RETRANSMISSION_S if self._choose.random() < self.loss else 0.0
                    await waiting.put((loop.time() + self.delay_s + late, chunk))
            await waiting.put((loop.time() + self.delay_s, b""))
            with suppress(OSError):
                await writing
        finally:
            writing.cancel()
