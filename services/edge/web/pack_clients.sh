#!/bin/sh
# Packs the sources of the clients for the documentation, from which partners install them.
set -eu
for client in python typescript; do
  tar -czf "dist/docs/landpartner-$client.tar.gz" -C ../../../clients \
    --exclude=node_modules --exclude=dist --exclude=tests --exclude=__pycache__ "$client"
done
