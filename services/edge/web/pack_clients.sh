#!/bin/sh
# Packs the clients for the documentation, as pip and npm install them: the sources of the Python package, and the
# compiled TypeScript package with its types.
set -eu
served=$PWD/dist/docs
cd ../../../clients
tar -czf "$served/landpartner-python.tar.gz" --exclude=__pycache__ python
cd typescript
../../deploy/npm_ci.sh
npm run --silent build
packed=$(npm pack --silent --pack-destination "$served")
mv "$served/$packed" "$served/landpartner-typescript.tar.gz"
