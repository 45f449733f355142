/** Which service may call which. This table is the architecture: an edge that is not listed is an error. */
const MODULE_EDGES = {
  'file-management': [],
  'document-rendering': ['file-management'],
  'websockets-manager': ['email'],
  'document-log': [],
  email: ['file-management', 'document-rendering'],
  admin: ['document-log'],
};

/** What only one place may import: the package, and the files that may. */
const SDKS = {
  'better-sqlite3|@prisma/adapter-better-sqlite3|@prisma/adapter-pg|pg': '^src/common/database/',
  '@prisma/[^/]+': '^src/(common/database|generated)/',
  pino: '^src/common/logging/',
  'prom-client': '^src/common/metrics/',
  '@opentelemetry/api': '^src/common/(tracing/|telemetry/otlp-(traces|metrics)\\.ts$)',
  '@opentelemetry/(?!api)[^/]+': '^src/common/telemetry/otlp-(traces|metrics)\\.ts$',
  '@graphql-yoga/render-graphiql': '^scripts/console-page\\.mjs$',
  minio:
    '^src/modules/(file-management/blob-store/(minio-blob-store|s3/(role-credentials|server-side-copy))|document-log/streams/batch-requests)\\.ts$',
  '@aws-sdk/[^/]+': '^src/modules/file-management/blob-store/s3/role-credentials\\.ts$',
  ws: '^src/modules/websockets-manager/sockets/(socket-server|connection)\\.ts$',
  '@redis/client': '^src/modules/websockets-manager/bus/redis-target\\.ts$',
  '@fastify/proxy-addr': '^src/modules/websockets-manager/sockets/upgrades/source-address\\.ts$',
  'undici|ipaddr\\.js': '^src/common/outbound/',
  'tar-stream': '^src/backup/',
  yazl: '^src/modules/file-management/archives/zip-stream\\.ts$',
  commander:
    '^src/(cli|commands/(demo/demo-command|log-commands|migrate-command|setting-options|keys-command|email-command|webhooks/webhooks-command)|backup/backup-command|doctor/doctor-command)\\.ts$',
  juice: '^src/modules/document-rendering/rendering/inline-styles\\.ts$',
  'html-to-text': '^src/modules/document-rendering/rendering/plain-text\\.ts$',
  '@libpdf/core': '^src/modules/document-rendering/pdf/(archival-pdf|pdf-worker)\\.ts$',
  'puppeteer-core': '^src/modules/document-rendering/pdf/chromium\\.ts$',
  '@modelcontextprotocol/[^/]+': '^src/mcp/mcp-messages\\.ts$',
  'openid-client': '^src/people/issuer\\.ts$',
  nodemailer: '^src/modules/email/transport/',
  'postal-mime': '^src/modules/email/bounces/reports/mail-parts\\.ts$',
  'smtp-server': '^src/modules/email/bounces/bounce-listener\\.job\\.ts$',
};

const edges = Object.entries(MODULE_EDGES).map(([name, mayUse]) => ({
  name: `edges-of-${name}`,
  comment: `modules/${name} may use: ${mayUse.join(', ') || 'no other module'}.`,
  severity: 'error',
  from: { path: `^src/modules/${name}/` },
  to: { path: '^src/modules/', pathNot: [name, ...mayUse].map((module) => `^src/modules/${module}/`) },
}));

const sdks = Object.entries(SDKS).map(([packages, place]) => ({
  name: `only-adapters-import-${packages.split('|')[0]}`,
  comment: 'Each outside SDK is imported by its adapter alone.',
  severity: 'error',
  from: { path: '^src/', pathNot: place },
  to: { path: `node_modules/(${packages})/` },
}));

module.exports = {
  forbidden: [
    ...edges,
    ...sdks,
    {
      name: 'listed-modules',
      comment: 'Every module has a line in MODULE_EDGES.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: `^src/modules/(?!(${Object.keys(MODULE_EDGES).join('|')})/)` },
    },
    {
      name: 'public-face',
      comment: 'Another module is used through its module and service files only.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/(?!$1/)[^/]+/', pathNot: '\\.(module|service)\\.ts$' },
    },
    {
      name: 'common-is-below',
      comment: 'common knows no service.',
      severity: 'error',
      from: { path: '^src/common/' },
      to: { path: '^src/modules/' },
    },
    {
      name: 'nothing-imports-the-assembly',
      comment: 'main (and cli, for its command start) → start → serve → app → app.module, and nothing else upward.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(main|cli|start|serve|app)\\.ts$' },
      to: { path: '^src/(main|start|serve|app|app\\.module|cli)\\.ts$' },
    },
    {
      name: 'services-know-no-transport',
      comment: 'Services do not know GraphQL, HTTP or sockets.',
      severity: 'error',
      from: { path: '\\.(service|job|queries)\\.ts$' },
      to: {
        path: [
          '\\.(resolver|controller|gateway)\\.ts$',
          'node_modules/@nestjs/(graphql|apollo|websockets|platform-[a-z]+)/',
          'node_modules/(fastify|@fastify|ws|graphql|@apollo|@as-integrations)/',
          '^(node:)?https?2?$',
        ],
      },
    },
    {
      name: 'tables-behind-services',
      comment: 'Tables are touched by services and their queries only.',
      severity: 'error',
      from: { path: '^src/modules/', pathNot: '\\.(service|queries|job)\\.ts$|-row\\.ts$' },
      to: { path: ['^src/common/database/', '^src/generated/'] },
    },
    {
      name: 'no-cycles',
      comment: 'Under ESM a cycle between injected classes crashes at load, even with forwardRef.',
      severity: 'error',
      from: { pathNot: '^src/generated/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'heavy-in-children',
      comment: 'What loads juice or html-to-text is loaded by render processes only; the server would start later for it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/modules/document-rendering/(rendering/render-job-runner|engine/render-child)\\.ts$' },
      to: { path: '^src/modules/document-rendering/rendering/(inline-styles|plain-text|render-job-runner)\\.ts$' },
    },
    {
      name: 'no-orphans',
      comment: 'Nothing imports this file.',
      severity: 'error',
      from: {
        orphan: true,
        path: '^src/',
        pathNot: '^src/(main|cli)\\.ts$|\\.d\\.ts$|^src/generated/|^src/common/graphql/console/page/',
      },
      to: {},
    },
    {
      name: 'no-barrels',
      comment: 'An index.ts hides what is public and invites cycles.',
      severity: 'error',
      from: {},
      to: { path: '^src/(?!generated).*/index\\.ts$' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules|^src/generated' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
