"""What the edge serves to partners, as it is served: both clients in empty folders, and the code of the guide."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

import stacks
from needs import missing
from programs import run

pytestmark = pytest.mark.programs  # npm and curl, and Node built the pages

LANGUAGES = ("fr", "en")
EXPECTED = ("00001000AA0001", "urban_authorizations", "event: done", "quick_assessment")
"""A part of the output of each command of the guide that calls the service."""
WRONG = {
    'await client.resolve({ lable: "1 rue du 8 mai 1945" });': "lable",
    'await client.landUnit({ parcel_ids: ["00001000AA0001"], include: ["gardens"] });': "gardens",
    '(await client.resolve({ label: "1 rue du 8 mai 1945" })).parcel;': "parcel",
    "(await client.usage()).unitz;": "unitz",
}
"""What the compiler must refuse, with the name that it complains about."""


@pytest.fixture(scope="module")
def key(embedded: stacks.Embedded) -> str:
    return stacks.create_key(embedded, "served")["secret"]


@pytest.fixture(scope="module")
def variables(embedded: stacks.Embedded, key: str) -> dict[str, str]:
    return {"LP_URL": embedded.url, "LP_KEY": key}


@pytest.fixture(scope="module")
def guides(embedded: stacks.Embedded) -> dict[str, str]:
    """The guide as Markdown, by language."""
    address = f"{embedded.url}/api/docs/public.md"
    answers = {name: httpx.get(address, headers={"accept-language": name}) for name in LANGUAGES}
    if any(answer.status_code == 404 for answer in answers.values()):
        missing("the built pages (make pages)")
    return {name: answer.raise_for_status().text for name, answer in answers.items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_block_of_code_in_the_guide_runs(
    guides: dict[str, str], variables: dict[str, str], language: str, tmp_path: Path
) -> None:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", guides[language], re.DOTALL | re.MULTILINE)
    commands = [code for kind, code in blocks if kind == "sh"]
    calls = [code for code in commands if code.startswith("curl ")]
    others = [code.split(" ", 1)[0] for code in commands if code not in calls]
    assert others == ["export", "pip", "npm"], "the other tests of this file run the installations"
    outputs = [run("bash", "-ec", call, folder=tmp_path, variables=variables) for call in calls]
    for output, expected in zip(outputs, EXPECTED, strict=True):
        assert expected in output
    [answer] = [code for kind, code in blocks if kind == "json"]
    printed, answered = json.loads(answer), json.loads(outputs[0])  # editions and scores change with the data
    assert printed.keys() == answered.keys()
    assert printed["address"].keys() == answered["address"].keys()
    assert printed["parcel_ids"] == answered["parcel_ids"]
    [headers] = [code for kind, code in blocks if kind == ""]
    usage = httpx.get(f"{variables['LP_URL']}/api/v1/usage", headers={"x-api-key": variables["LP_KEY"]}).headers
    for line in headers.splitlines():
        name, value = line.split(": ")
        assert re.sub(r"\d+", "0", value) == re.sub(r"\d+", "0", usage[name])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_guide_names_the_address_of_its_service(
    guides: dict[str, str], embedded: stacks.Embedded, language: str
) -> None:
    server = httpx.get(f"{embedded.url}/api/v1/openapi-public.json").json()["servers"][0]["url"]
    for program, name in (("pip", "python"), ("npm", "typescript")):
        archive = f"/api/docs/landpartner-{name}.tar.gz"
        assert install(guides[language], program) == f"{program} install {server}{archive}"
        readme = (stacks.REPOSITORY / "clients" / name / "README.md").read_text(encoding="utf-8")
        assert f'{program} install "$LP_URL{archive}"\n' in readme


def test_the_typescript_client_is_installed_and_typed(
    guides: dict[str, str], variables: dict[str, str], tmp_path: Path
) -> None:
    node = run(str(stacks.REPOSITORY / "deploy" / "node.sh"))
    variables = {**variables, "PATH": f"{node}:{os.environ['PATH']}", "NPM_CONFIG_ENGINE_STRICT": "true"}
    run("bash", "-ec", install(guides["en"], "npm"), folder=tmp_path, variables=variables)
    package = tmp_path / "node_modules" / "landpartner-client"
    [example] = re.findall(r"```ts\n(.*?)```", (package / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "example.mts").write_text(example, encoding="utf-8")
    start = [line for line in example.splitlines() if line.startswith(("import", "const client"))]
    (tmp_path / "wrong.mts").write_text("\n".join([*start, *WRONG]), encoding="utf-8")
    compile_strictly(tmp_path, "example.mts", variables)
    printed = run("node", "example.mjs", folder=tmp_path, variables=variables)
    assert "[ '00001000AA0001' ]" in printed
    assert printed.rstrip().endswith("a 200"), "the line of a file is found"
    with pytest.raises(RuntimeError) as refused:
        compile_strictly(tmp_path, "wrong.mts", variables)
    errors = re.findall(r"^wrong\.mts\((\d+),\d+\): error TS\d+: (.*)", str(refused.value), re.MULTILINE)
    assert [int(line) for line, _ in errors] == [len(start) + at for at in range(1, len(WRONG) + 1)]
    assert all(name in message for (_, message), name in zip(errors, WRONG.values(), strict=True))


def test_the_python_client_is_installed_and_typed(
    guides: dict[str, str], variables: dict[str, str], tmp_path: Path
) -> None:
    run(sys.executable, "-m", "venv", str(tmp_path / "venv"))
    empty = tmp_path / "empty"
    empty.mkdir()
    variables = {**variables, "PATH": f"{tmp_path / 'venv' / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": ""}
    run("bash", "-ec", install(guides["en"], "pip"), folder=empty, variables=variables)
    readme = (stacks.REPOSITORY / "clients" / "python" / "README.md").read_text(encoding="utf-8")
    example = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)[0]
    assert "['00001000AA0001']" in run("python", "-c", example, folder=empty, variables=variables)
    folder = "import landpartner_client; print(*landpartner_client.__path__)"
    package = Path(run("python", "-c", folder, folder=empty, variables=variables))
    assert package.is_relative_to(tmp_path)
    (empty / "wrong.py").write_text(
        'from landpartner_client import Client\n\nclient = Client("k", base_url="http://localhost")\n'
        'client.resolve(label="x")\nclient.resolve(labl="x")\n',
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--python-executable"]
    checked = subprocess.run(
        [*command, str(tmp_path / "venv" / "bin" / "python"), "wrong.py"],
        cwd=empty, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert re.findall(r"^wrong\.py:(\d+): error", checked.stdout, re.MULTILINE) == ["5"], checked.stdout


def install(guide: str, program: str) -> str:
    """The command of the guide that installs a client."""
    [command] = re.findall(rf"^{program} install .*$", guide, re.MULTILINE)
    return str(command)


def compile_strictly(folder: Path, file: str, variables: dict[str, str]) -> None:
    """Compiles a program with all declarations that it reads. Raises RuntimeError with the errors."""
    client = stacks.REPOSITORY / "clients" / "typescript"
    tools = str(client / "node_modules")  # the build of the pages installed them
    options = ["--strict", "--module", "nodenext", "--target", "es2023", "--types", "node"]
    run(f"{tools}/.bin/tsc", *options, "--typeRoots", f"{tools}/@types", file, folder=folder, variables=variables)
