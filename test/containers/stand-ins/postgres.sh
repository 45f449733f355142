#!/bin/sh
# Makes the cluster, the user and the database at the first start, then serves.
set -e
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  password=$(mktemp)
  printf '%s' "$POSTGRES_PASSWORD" >"$password"
  initdb -U "$POSTGRES_USER" --pwfile="$password" --auth-local=trust --auth-host=scram-sha-256 >/dev/null
  rm "$password"
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  printf 'CREATE DATABASE "%s";\n' "$POSTGRES_DB" | postgres --single -j postgres >/dev/null
fi
exec "$@" -c listen_addresses='*' -k /var/run/postgresql
