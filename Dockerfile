# Builds with the development dependencies; the image has only what runs.
# Node 24.18.1, for all platforms.
ARG NODE_IMAGE=node:24-bookworm-slim@sha256:235600a8101ab264e117b1768e925532262668dc9b581ef1dd7d96ced463b8e7
FROM ${NODE_IMAGE} AS build
WORKDIR /app
# Prisma would download an engine that nothing here needs; any executable will do.
ENV PRISMA_SCHEMA_ENGINE_BINARY=/usr/local/bin/node
COPY package.json package-lock.json ./
COPY studio/package.json studio/
# npm would compile the driver of SQLite, which comes compiled; peers are for development.
RUN npm ci --ignore-scripts --workspace studio --include-workspace-root --legacy-peer-deps --no-audit --no-fund
COPY tsconfig.json nest-cli.json prisma.config.ts ./
COPY scripts scripts
COPY prisma prisma
COPY src src
COPY bin bin
COPY schema schema
COPY clients/js clients/js
COPY studio studio
COPY LICENSE ./
# Without this manifest npm ignores an override, and its bill of materials fails.
COPY test/package.json test/
# All that runs: the bundles and the packages that they load, with their licences and a bill of materials.
RUN node scripts/prepare.mjs && node scripts/assemble.mjs /release

FROM ${NODE_IMAGE}
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
RUN install -d -m 700 -o node -g node /data
COPY --from=build /release ./
RUN ln -s /app/bin/platform-services.mjs /usr/local/bin/platform-services
USER node
VOLUME /data
EXPOSE 3000
# Checks the process, not its database: a restart would not help with the database. Without a space in an argument, at which some
# engines split it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+(process.env.PORT||3000)+'/health/live').then(({ok})=>process.exit(ok?0:1),()=>process.exit(1))"]
CMD ["platform-services", "start"]
