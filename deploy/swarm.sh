#!/usr/bin/env bash
# Deploys to Docker Swarm: docker-compose.yml with deploy/swarm.yml. See docs/clusters.md.
#   swarm.sh deploy [OPTION of docker stack deploy]...    make missing secrets, migrate, update the services, then the edge
#   swarm.sh config                                       print what is deployed
set -euo pipefail
cd "$(dirname "$0")/.."
export STACK=${STACK:-land-partner} SECRETS_DIR=${SECRETS_DIR:-$PWD/var/swarm-secrets}
MIGRATED_WITHIN_S=600
databases=(land-db keys-db assistant-db)
jobs=(land-migrate keys-migrate assistant-migrate)
services=(land keys assistant)

# Compose's normalized form quotes integers and has a name and profiles, and `docker stack` accepts none of them.
config() { # SERVICE...: with none, all
  docker compose --file docker-compose.yml --file deploy/swarm.yml config "$@" |
    sed -E -e '/^name:/d' -e '/^    profiles:$/,/^      - /d' -e 's/^( *cpus: )([0-9.]+)$/\1"\2"/' -e 's/^( *(published|size): )"([0-9]+)"$/\1\3/'
}

make_secrets() {
  (umask 077 && PYTHONPATH=deploy python3 deploy/compose/provision.py)
  local file name
  while read -r file; do
    name=${file//[\/-]/_}
    export "SHA_${name^^}=$(sha256sum "$SECRETS_DIR/$file" | cut -c 1-12)"
  done < <(cd "$SECRETS_DIR" && find . -mindepth 2 -type f -printf '%P\n')
}

require() { # MESSAGE COMMAND...
  local message=$1
  shift
  "$@" || { echo "swarm.sh: $message" >&2; exit 1; }
}

one_database_node() {
  local nodes
  nodes=$(docker node ls --quiet | xargs docker node inspect --format '{{index .Spec.Labels "land-partner.databases"}}')
  [ "$(grep -cx yes <<<"$nodes")" = 1 ]
}

migrated() {
  local done
  done=$(docker service ls --format '{{.Name}} {{.Replicas}}' | grep -cE "^${STACK}_[a-z]+-migrate .*\(1/1 completed\)")
  [ "$done" = ${#jobs[@]} ]
}

deploy() {
  require 'this engine is no manager of a swarm: docker swarm init, or DOCKER_HOST=ssh://…' docker node ls --quiet >/dev/null
  require 'the databases need one node: docker node update --label-add land-partner.databases=yes NODE' one_database_node
  make_secrets
  config "${databases[@]}" "${jobs[@]}" | docker stack deploy --detach=true --compose-file - "$@" "$STACK"
  echo 'migrating'
  local end=$((SECONDS + MIGRATED_WITHIN_S))
  until migrated; do
    require "not migrated: docker service logs ${STACK}_keys-migrate (or land-…, assistant-…)" [ $SECONDS -lt $end ]
    sleep 1
  done
  # the edge last: it may send what an older service does not know, or a token that it does not know
  config "${services[@]}" | docker stack deploy --detach=false --compose-file - "$@" "$STACK"
  config | docker stack deploy --detach=false --prune --compose-file - "$@" "$STACK"
}

case ${1:-} in
  deploy) shift; deploy "$@" ;;
  config) make_secrets; config | docker stack config --compose-file - ;;
  *) sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
