#!/bin/sh
# Takes `server FOLDER …`, as MinIO does. The first process of a container gets SIGTERM only if it asks for it.
python3 /s3-server.py --host 0.0.0.0 --port 9000 --data "$2/swift" --keep \
  --access-key "$MINIO_ROOT_USER" --secret-key "$MINIO_ROOT_PASSWORD" &
trap 'kill "$!"' TERM
wait "$!"
