"""A tiny service for the tests of the supervisor. Each line of a connection is a command, and its answer a line."""

import asyncio
import os
import signal
import sys
import time
from typing import NoReturn

from prometheus_client import Counter, Gauge

from servicekit import logs, processes
from servicekit.settings import ServingSettings
from servicekit.supervisor import Supervisor, bind

HUNG_AFTER_S = 2.0
DEATHS_PER_MINUTE = 3


class Metrics:
    commands: Counter
    under_way: Gauge


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while line := await reader.readline():
        match line.decode().strip():
            case "count":
                Metrics.commands.inc()
                Metrics.under_way.inc()
            case "slow":
                await asyncio.sleep(1)
            case "hang":
                time.sleep(60)  # noqa: ASYNC251
            case "write":
                os.write(2, b"a line of others\n")
            case "exit":
                os._exit(3)
        writer.write(f"{os.getpid()}\n".encode())
    writer.close()


async def serve(settings: ServingSettings) -> None:
    await processes.current().prepared()
    [own] = bind(settings.host, settings.port, is_shared=True)
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    answering: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answering.add(asyncio.create_task(answer(reader, writer)))

    server = await asyncio.start_server(accept, sock=own)
    await stopping.wait()
    server.close()
    await asyncio.wait(answering, timeout=settings.drain_s) if answering else None


def main() -> NoReturn:
    settings = ServingSettings.with_prefix("SERVED_").load()
    logs.configure_server("served", settings)
    if not processes.join():
        sys.exit(Supervisor(settings, settings.processes or 1, HUNG_AFTER_S, DEATHS_PER_MINUTE).run())
    if os.environ.get("SERVED_FAILS"):
        sys.exit(7)
    Metrics.commands = Counter("commands", "Commands.")  # metrics exist after `join`
    Metrics.under_way = Gauge("under_way", "A gauge.", multiprocess_mode="livesum")
    asyncio.run(serve(settings))
    sys.exit(0)


if __name__ == "__main__":
    main()
