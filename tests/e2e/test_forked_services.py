"""The services that tests fork say why they ended."""

from pathlib import Path

import pytest

from embedded.processes import Died, free_ports
from replicas import Backends


def test_a_service_that_cannot_start_says_why(tmp_path: Path) -> None:
    backends = Backends(tmp_path, f"postgresql+psycopg://nobody@127.0.0.1:{free_ports('127.0.0.1', 1)[0]}/none")
    replica = backends._backend("keys", free_ports("127.0.0.1", 1)[0])
    with pytest.raises(Died, match="The database of keys does not answer"):
        replica.start()
