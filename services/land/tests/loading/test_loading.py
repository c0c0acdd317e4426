"""Loading files: whole partitions, the same file twice, two imports at once, a killed import."""

import gzip
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from land_builders import COMMUNE, address, load
from sqlalchemy import Engine, func, select

from land.datasets.addresses.street_queries import address as address_table
from land.datasets.communes.records import PostcodesRecord
from land.datasets.partitions import Partition
from land.errors import SourceUnavailable, UnreadableFile, WrongHeader
from land.loading.loader import LoadSummary, load_empty, load_file
from land.registry import DATASETS
from land.store.tables import dataset_load

HEADER = (
    "id;id_fantoir;numero;rep;nom_voie;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;"
    "nom_ancienne_commune;x;y;lon;lat;type_position;alias;nom_ld;libelle_acheminement;nom_afnor;source_position;"
    "source_nom_voie;certification_commune;cad_parcelles"
)


def ban_row(number: int, commune: str = COMMUNE, street: str = "Rue des Lilas") -> str:
    return (
        f"{commune}_0001_{number:05};;{number};;{street};18900;{commune};Trifouillis;;;1;1;2.4;47.1;entrée;;;"
        f"TRIFOUILLIS;RUE DES LILAS;commune;commune;1;"
    )


def ban_file(folder: Path, *rows: str, header: str = HEADER) -> Path:
    path = folder / "adresses-18.csv.gz"
    path.write_bytes(gzip.compress("\n".join([header, *rows, ""]).encode()))
    return path


def import_ban(store: Engine, path: Path | str, scratch: Path, **only: str) -> LoadSummary:
    return load_file(store, DATASETS["ban"], str(path), scratch / "scratch", **only)  # type: ignore[arg-type]


def numbers(store: Engine, commune: str = COMMUNE) -> list[int]:
    with store.connect() as connection:
        return list(
            connection.scalars(
                select(address_table.c.number)
                .where(address_table.c.commune_code == commune)
                .order_by(address_table.c.number)
            )
        )


def test_a_file_replaces_the_previous_edition(store: Engine, tmp_path: Path) -> None:
    import_ban(store, ban_file(tmp_path, ban_row(1), ban_row(2)), tmp_path)
    summary = import_ban(store, ban_file(tmp_path, ban_row(2), ban_row(3)), tmp_path)
    assert summary.changed == [Partition(COMMUNE)]
    assert numbers(store) == [2, 3]


def test_the_same_file_again_changes_nothing(store: Engine, tmp_path: Path) -> None:
    path = ban_file(tmp_path, ban_row(1), ban_row(2))
    import_ban(store, path, tmp_path)
    with store.connect() as connection:
        before = connection.execute(select(dataset_load)).all()
    summary = import_ban(store, path, tmp_path)
    assert (summary.changed, summary.unchanged) == ([], [Partition(COMMUNE)])
    with store.connect() as connection:
        assert connection.execute(select(dataset_load)).all() == before


def test_the_same_file_is_loaded_again_after_a_change_of_the_code(
    store: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = ban_file(tmp_path, ban_row(1), ban_row(2))
    import_ban(store, path, tmp_path)
    monkeypatch.setattr("land.loading.loader.row_version", lambda _: "changed")
    assert import_ban(store, path, tmp_path).changed == [Partition(COMMUNE)]
    assert import_ban(store, path, tmp_path).unchanged == [Partition(COMMUNE)]


def test_other_communes_are_not_changed(store: Engine, tmp_path: Path) -> None:
    import_ban(store, ban_file(tmp_path, ban_row(1), ban_row(7, "18998")), tmp_path)
    import_ban(store, ban_file(tmp_path, ban_row(2)), tmp_path)
    assert numbers(store, "18998") == [7]


def test_rows_of_several_communes_may_be_mixed(store: Engine, tmp_path: Path) -> None:
    rows = [ban_row(number, commune) for number in range(1, 30) for commune in (COMMUNE, "18998")]
    summary = import_ban(store, ban_file(tmp_path, *rows), tmp_path)
    assert [partition.code for partition in summary.changed] == ["18998", COMMUNE]
    assert numbers(store) == numbers(store, "18998") == list(range(1, 30))


def test_only_the_selected_commune_is_loaded(store: Engine, tmp_path: Path) -> None:
    path = ban_file(tmp_path, ban_row(1), ban_row(2, "18998"), ban_row(3, "19001"))
    import_ban(store, path, tmp_path, commune=COMMUNE)
    assert (numbers(store), numbers(store, "18998")) == ([1], [])
    import_ban(store, path, tmp_path, department="18")
    assert (numbers(store, "18998"), numbers(store, "19001")) == ([2], [])


def test_a_truncated_gzip_changes_nothing(store: Engine, tmp_path: Path) -> None:
    path = ban_file(tmp_path, *[ban_row(number, "18998") for number in range(1, 500)], ban_row(9))
    load(store, "ban", COMMUNE, [address(1, "Rue des Lilas", (0, 0))])
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(UnreadableFile, match="truncated"):
        import_ban(store, path, tmp_path)
    assert (numbers(store), numbers(store, "18998")) == ([1], [])
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_wrong_header_names_the_missing_columns(store: Engine, tmp_path: Path) -> None:
    path = ban_file(tmp_path, ban_row(1), header=HEADER.replace("nom_voie", "voie").replace("cad_parcelles", "cad"))
    with pytest.raises(WrongHeader) as caught:
        import_ban(store, path, tmp_path)
    assert set(caught.value.missing) == {"nom_voie", "cad_parcelles"}
    assert numbers(store) == []


def test_a_binary_file_is_refused(store: Engine, tmp_path: Path) -> None:
    path = tmp_path / "adresses.csv"
    path.write_bytes(bytes(range(256)) * 40)
    with pytest.raises(UnreadableFile):
        import_ban(store, path, tmp_path)


def test_bad_rows_are_counted_with_their_line_and_skipped(store: Engine, tmp_path: Path) -> None:
    summary = import_ban(
        store, ban_file(tmp_path, ban_row(1), ban_row(2).replace(";2;", ";two;"), ban_row(3)), tmp_path
    )
    assert numbers(store) == [1, 3]
    assert summary.rejected_count == 1
    assert summary.rejections[0].startswith("adresses-18.csv.gz:3:")


def test_a_file_whose_rows_are_all_rejected_changes_nothing(store: Engine, tmp_path: Path) -> None:
    import_ban(store, ban_file(tmp_path, ban_row(1)), tmp_path)
    bad = [ban_row(number).replace(";2.4;47.1;", ";east;north;") for number in (2, 3)]
    with pytest.raises(UnreadableFile, match=r"every row was rejected, the first one as adresses-18\.csv\.gz:2: "):
        import_ban(store, ban_file(tmp_path, *bad), tmp_path)
    assert numbers(store) == [1]


def test_one_of_two_concurrent_imports_of_a_commune_is_stored_whole(store: Engine, tmp_path: Path) -> None:
    editions = [list(range(1, 200)), list(range(100, 400))]
    paths = []
    for index, edition in enumerate(editions):
        folder = tmp_path / str(index)
        folder.mkdir()
        paths.append(ban_file(folder, *[ban_row(number) for number in edition]))
    threads = [threading.Thread(target=import_ban, args=(store, path, tmp_path)) for path in paths for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert numbers(store) in editions


_KILLED_IMPORT = """
import os, sys
from pathlib import Path
from pydantic import SecretStr
from land.loading import loader
from land.registry import DATASETS
from land.store import open_store
from land.store.repository import Repository
real = Repository.replace
def replace_then_die(self, *args):
    real(self, *args)
    if self.table.name == "address":
        os.kill(os.getpid(), 9)
Repository.replace = replace_then_die
loader.load_file(open_store(SecretStr(sys.argv[1])), DATASETS["ban"], sys.argv[2], Path(sys.argv[3]))
"""


def test_killed_between_its_last_row_and_commit_readers_see_the_old_edition_and_a_second_import_completes(
    store: Engine, tmp_path: Path
) -> None:
    import_ban(store, ban_file(tmp_path, ban_row(1), ban_row(2)), tmp_path)
    path = ban_file(tmp_path, *[ban_row(number) for number in range(10, 200)])
    url = store.url.render_as_string(hide_password=False)
    script = [sys.executable, "-c", _KILLED_IMPORT, url, str(path), str(tmp_path / "killed")]
    assert subprocess.run(script, check=False, timeout=60).returncode == -signal.SIGKILL
    assert numbers(store) == [1, 2]
    import_ban(store, path, tmp_path)
    assert numbers(store) == list(range(10, 200))
    with store.connect() as connection:
        assert connection.scalar(select(func.count()).select_from(dataset_load)) == 1


class _Publisher(BaseHTTPRequestHandler):
    """Serves a file whole at /ok/…, cut short at /cut/…, and redirects /latest/… to its edition."""

    content: bytes

    def do_GET(self) -> None:
        if self.path.startswith("/latest/"):
            self.send_response(302)
            self.send_header("Location", self.path.replace("/latest/", "/ok/2026-06-01/"))
            self.end_headers()
        elif self.path.startswith("/ok/"):
            self.send_response(200)
            self.send_header("Content-Length", str(len(self.content)))
            self.end_headers()
            self.wfile.write(self.content)
        elif self.path.startswith("/cut/"):
            self.send_response(200)
            self.send_header("Content-Length", str(len(self.content)))
            self.end_headers()
            self.wfile.write(self.content[:-20])
        else:
            self.send_error(404)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def publisher(tmp_path: Path) -> Iterator[str]:
    _Publisher.content = ban_file(tmp_path, ban_row(5)).read_bytes()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Publisher)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_final_url_of_a_download_is_stored(store: Engine, tmp_path: Path, publisher: str) -> None:
    import_ban(store, f"{publisher}/latest/adresses-18.csv.gz", tmp_path)
    assert numbers(store) == [5]
    with store.connect() as connection:
        url = connection.scalar(select(dataset_load.c.url))
    assert url == f"{publisher}/ok/2026-06-01/adresses-18.csv.gz"
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.parametrize("path", ["cut", "missing"])
def test_a_publisher_that_fails_changes_nothing(store: Engine, tmp_path: Path, publisher: str, path: str) -> None:
    import_ban(store, ban_file(tmp_path, ban_row(1)), tmp_path)
    with pytest.raises(SourceUnavailable):
        import_ban(store, f"{publisher}/{path}/adresses-18.csv.gz", tmp_path)
    assert numbers(store) == [1]


def test_a_path_that_does_not_exist_is_refused(store: Engine, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no such file"):
        import_ban(store, tmp_path / "nothing.csv", tmp_path)


def test_an_edition_with_less_than_half_of_the_rows_is_refused(store: Engine, tmp_path: Path) -> None:
    rows = [ban_row(number) for number in range(1, 41)]
    import_ban(store, ban_file(tmp_path, *rows), tmp_path)
    with pytest.raises(UnreadableFile, match="19 rows, after 40"):
        import_ban(store, ban_file(tmp_path, *rows[:19]), tmp_path)
    assert len(numbers(store)) == 40
    import_ban(store, ban_file(tmp_path, *rows[:20]), tmp_path)
    assert len(numbers(store)) == 20


def test_a_first_edition_with_far_fewer_rows_than_the_commune_has_inhabitants_is_refused(
    store: Engine, tmp_path: Path
) -> None:
    load(
        store,
        "postcodes",
        "FR",
        [
            PostcodesRecord(
                code=COMMUNE, name="Ville", postcodes="18000", lon=2.0, lat=47.0, epci=None, population=4_000
            )
        ],
    )
    file = str(ban_file(tmp_path, *(ban_row(number) for number in range(1, 40))))
    with pytest.raises(UnreadableFile, match="39 rows, where at least 40 are usual"):
        load_file(store, DATASETS["ban"], file, tmp_path, is_import=False)
    load_file(store, DATASETS["ban"], file, tmp_path)
    assert len(numbers(store)) == 39


@pytest.mark.parametrize(
    ("name", "part"), [("v_commune_2026.csv", "communes"), ("v_mvt_commune_2026.csv", "movements")]
)
def test_a_national_list_that_ends_early_is_refused_at_its_first_load(
    engine: Engine, sample: Callable[[str], Path], tmp_path: Path, name: str, part: str
) -> None:
    lines = gzip.decompress(sample(f"cog/{name}.gz").read_bytes()).splitlines(keepends=True)
    file = tmp_path / name
    file.write_bytes(b"".join(lines[: len(lines) // 2]))
    with pytest.raises(UnreadableFile, match=f"FR {part}: [0-9]+ rows, where at least"):
        load_file(engine, DATASETS["cog"], str(file), tmp_path, is_import=False)
    file.write_bytes(b"".join(lines))
    assert load_file(engine, DATASETS["cog"], str(file), tmp_path, is_import=False).rejected_count == 0


def test_no_commune_has_an_empty_plan(store: Engine) -> None:
    with pytest.raises(UnreadableFile, match="18999: no rows, which cannot be"):
        load_empty(store, DATASETS["cadastre-parcels"], COMMUNE, "https://plans.example")
    load_empty(store, DATASETS["dvf"], COMMUNE, "https://sales.example")
