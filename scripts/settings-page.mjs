// npm run settings: writes docs/settings.md and .env.example from the settings of src/common/config/environment.ts.
// test/unit/settings-page.spec.ts fails when one of them is stale.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './prepare.mjs';

/** Headings, each with the first setting below it. */
const GROUPS = {
  PORT: 'Process',
  DATA_DIR: 'Data and secrets',
  PUBLIC_URL: 'Addresses and access',
  MAX_UPLOAD_BYTES: 'Limits',
  FILE_RETENTION_DAYS: 'Retention',
  MINIO_ENDPOINT: 'Store',
  REDIS_URL: 'Redis and WebSockets',
  SMTP_URL: 'Mail',
  WEBHOOK_ALLOWED_NETWORKS: 'Calls to servers of tenants',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'Traces and metrics',
  TESTING_KEY: 'Tests of applications',
};

/** Where docs say more. */
const MORE = {
  WORKERS: 'run.md#workers',
  DRAIN_SECONDS: 'upgrade.md#rolling-restarts',
  DATABASE_URL: 'install.md#parts-around-a-node',
  SECRET_KEY: 'run.md#rotating-the-secret',
  SECRET_KEYS_OLD: 'run.md#rotating-the-secret',
  TRUST_PROXY: 'install.md#tls-and-proxies',
  TENANT_MAX_STORED_BYTES: 'run.md#tenants',
  TENANT_DELETION_QUIET_SECONDS: 'admin.md',
  FILE_RETENTION_DAYS: 'admin.md#retention',
  MINIO_ACCESS_KEY: 'install.md#s3-without-keys',
  REDIS_URL: 'install.md#redis-cluster',
  REDIS_CA_FILE: 'install.md#tls-to-postgresql-and-redis',
  SMTP_TLS: 'email.md#tls',
  RETURN_PATH_DOMAIN: 'email.md#bounces',
  SMTP_OAUTH_TOKEN_URL: 'email.md#login',
  PDF_MEMORY_BYTES: 'document-rendering.md#memory-of-all-browsers',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'run.md#traces',
  TESTING_KEY: 'testing.md',
};

const INTRODUCTION = `# Settings

<!-- Made by npm run settings from src/common/config/environment.ts. -->

Settings are options of every command (\`--data-dir\` is \`DATA_DIR\`), environment variables, or lines of a file \`.env\`; an option wins over
the environment, and the environment over the file. The file is beside \`package.json\` in a checkout, and otherwise in the folder where the
command is called. Other users of the machine can read the options of a process, so secrets belong into the environment or the file. An empty value
counts as left out. A wrong value stops the start with one line that says what is allowed; a name that is nearly that of a
setting (\`SMPT_URL\`) is warned of at the start and by \`doctor\`. Sizes in bytes may have a unit: \`10GiB\`. [\`.env.example\`](../.env.example) has the same
settings, to be copied.
`;

const POINTS = `
\`RATE_LIMIT_PER_MINUTE\` counts points: 1 for each root field of an operation, and 1 more for each 100 fields that it could resolve. A page
of 100 files with ten fields each costs 12 points. A refused request costs 1.
`;

const EXAMPLE_INTRODUCTION = `# Copy to .env and uncomment the settings to change; the value shown is the default or an example. An empty value counts as left
# out. \`platform-services\` and docker compose read .env. A variable of the environment wins over it.
# Made by npm run settings from src/common/config/environment.ts.
`;
const LINE_LENGTH = 130;

/** Returns docs/settings.md. */
export function settingsPage(settings) {
  const groups = groupsOf(settings).map(({ heading, settings }) => `\n## ${heading}\n\n${tableOf(settings)}`);
  return INTRODUCTION + groups.map((text) => (text.includes('`RATE_LIMIT_PER_MINUTE`') ? text + POINTS : text)).join('');
}

/** Returns .env.example. */
export function envExample(settings) {
  const entryOf = ({ name, description, range, value }) => {
    const { text, otherwise } = partsOf(description);
    const sentences = [text, range, `Default: ${otherwise.replace(': ', '; ')}`, MORE[name] && `See docs/${MORE[name]}`]
      .filter(Boolean)
      .map(asSentence);
    return `${wrapped(sentences.join(' '))}\n# ${name}=${value}\n`;
  };
  const groups = groupsOf(settings).map(({ heading, settings }) => [`# --- ${heading} ---\n`, ...settings.map(entryOf)]);
  return [EXAMPLE_INTRODUCTION, ...groups.flat()].join('\n');
}

/** Reads the settings of environment.ts, as a module, with their ranges and the values that .env.example shows. */
export async function readSettings(module) {
  const { environment, SETTINGS } = module;
  const { z } = await import('zod');
  const { properties } = z.toJSONSchema(environment, { io: 'input', unrepresentable: 'any' });
  return SETTINGS.map(({ name, description }) => {
    const { minimum, maximum, default: otherwise } = properties[name];
    const { example = otherwise } = environment.shape[name].meta();
    const isShown = ['string', 'number', 'boolean'].includes(typeof example);
    const isBounded = maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER;
    const range = isBounded ? `${minimum.toLocaleString('en')} to ${maximum.toLocaleString('en')}` : undefined;
    return { name, description, range, value: isShown ? String(example) : '' };
  });
}

function groupsOf(settings) {
  const starts = Object.keys(GROUPS).map((first) => settings.findIndex(({ name }) => name === first));
  return starts.map((from, index) => ({
    heading: GROUPS[settings[from].name],
    settings: settings.slice(from, starts[index + 1]),
  }));
}

/** A description ends with the default, in parentheses. */
function partsOf(description) {
  const [, text, otherwise] = /^(.*) \(([^()]*)\)$/s.exec(description);
  return { text, otherwise };
}

function tableOf(settings) {
  const rows = settings.map(({ name, description, range }) => {
    const { text, otherwise } = partsOf(description);
    const more = MORE[name] && `[more](${MORE[name]})`;
    return [`\`${name}\``, cell(otherwise), cell([text, range].filter(Boolean).join('; ')) + (more ? `; ${more}` : '')];
  });
  const lines = [['setting', 'default', 'what it does'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => line[column].length)));
  const [head, ...others] = lines.map((line) => `| ${line.map((text, column) => text.padEnd(widths[column])).join(' | ')} |\n`);
  return `${head}| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |\n${others.join('')}`;
}

/** Shows names of settings, addresses and paths as code. */
const cell = (text) =>
  text.replaceAll(/(?<!`)(\b[A-Z]+(?:_[A-Z]+)+(?:\/\w+)?\b|[\w+]+:\/\/(?:[^\s;)]*[^\s;),.:])?|\.\/\w+|\.eml)(?!`)/g, '`$1`');

const asSentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;

function wrapped(text) {
  const lines = [''];
  for (const word of text.split(' ')) {
    if (lines.at(-1).length + word.length + 3 > LINE_LENGTH) lines.push('');
    lines.push(`${lines.pop()} ${word}`);
  }
  return lines.map((line) => `#${line}`).join('\n');
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await prepare();
  const settings = await readSettings(await import('../dist/common/config/environment.js'));
  writeFileSync(join(root, 'docs/settings.md'), settingsPage(settings));
  writeFileSync(join(root, '.env.example'), envExample(settings));
}
