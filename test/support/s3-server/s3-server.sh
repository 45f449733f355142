#!/usr/bin/env bash
# The S3 server of the tests. usage: s3-server.sh start|stop
# S3_TEST_PORT (9000), S3_TEST_DATA (/tmp/s3-test); the keys are test:tester and testing.
# start installs the Debian packages where they are missing (root or sudo) and returns when the server takes requests.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
port=${S3_TEST_PORT:-9000}
data=${S3_TEST_DATA:-/tmp/s3-test}

install() {
  if command -v swift-proxy-server >/dev/null && command -v swift-object-server >/dev/null; then return; fi
  local sudo=
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -qq
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    swift-proxy swift-account swift-container swift-object >/dev/null
}

stop() {
  [ -f "$data.pid" ] || return 0
  kill "$(cat "$data.pid")" 2>/dev/null || true
  rm -f "$data.pid"
}

start() {
  install
  stop
  setsid /usr/bin/python3 "$here/s3-server.py" --port "$port" --data "$data" \
    --access-key test:tester --secret-key testing </dev/null >"$data.log" 2>&1 &
  echo $! >"$data.pid"
  for _ in $(seq 300); do
    if grep -q ^READY "$data.log"; then
      grep ^READY "$data.log"
      return
    fi
    kill -0 "$(cat "$data.pid")" 2>/dev/null || break
    sleep 0.1
  done
  cat "$data.log"
  return 1
}

"${1:-start}"
