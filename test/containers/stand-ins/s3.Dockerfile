# The S3 server of the tests (OpenStack Swift) behind the command, the environment and the health check of MinIO's image. It has no console.
FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends curl swift-proxy swift-account swift-container swift-object \
 && rm -rf /var/lib/apt/lists/*
COPY support/s3-server/s3-server.py /s3-server.py
COPY --chmod=755 containers/stand-ins/s3.sh /entrypoint.sh
RUN printf '#!/bin/sh\nexec curl -fsS http://127.0.0.1:9000/healthcheck\n' >/usr/local/bin/mc && chmod 755 /usr/local/bin/mc
VOLUME /data
EXPOSE 9000
ENTRYPOINT ["/entrypoint.sh"]
CMD ["server", "/data"]
