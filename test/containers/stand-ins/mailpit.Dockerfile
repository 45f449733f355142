# A mail catcher (npm's smtp-server) with the ports of Mailpit and the two requests of its API that the tests make.
FROM node:24-bookworm-slim
WORKDIR /catcher
RUN npm install --no-audit --no-fund smtp-server@3
COPY containers/stand-ins/mailpit.mjs ./
RUN printf '#!/bin/sh\nexec node -e "fetch(\\"http://127.0.0.1:8025/readyz\\").then(({ ok }) => process.exit(ok ? 0 : 1))"\n' >/mailpit \
 && chmod 755 /mailpit
EXPOSE 1025 8025
CMD ["node", "mailpit.mjs"]
