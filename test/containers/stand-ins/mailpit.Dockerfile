# A mail catcher (npm's smtp-server) with the ports of Mailpit and the two requests of its API that the tests make.
FROM node:24-bookworm-slim
WORKDIR /catcher
RUN npm install --no-audit --no-fund smtp-server@3
COPY containers/stand-ins/mailpit.mjs ./
# The check starts no Node.js, which takes longer than its timeout on a busy machine.
COPY --chmod=755 containers/stand-ins/mailpit-check.sh /mailpit
EXPOSE 1025 8025
CMD ["node", "mailpit.mjs"]
