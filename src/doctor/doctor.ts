// Room: Checks of `doctor`, each with its remedy.
import { inTime } from '../common/base/in-time.js';
import { Config } from '../common/config/config.js';
import { serversOf } from '../common/config/setting-rules.js';
import { hintOfNames } from '../common/config/earlier-names.js';
import { checkBounces } from './bounce-check.js';
import { checkClock, checkNode, checkOpenFiles, checkPdf, checkPort, checkSqlite } from './machine-checks.js';
import { checkDataFolder } from './data-folder-check.js';
import { Fault } from './fault.js';
import { checkDatabase, checkMail, checkRedis, checkStore } from './dependency-checks.js';
import { checkSecret } from './secret-check.js';

const LIMIT_MS = 12_000;

export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'failed';
  detail: string;
  /** Remedy; undefined if there is nothing to do. */
  advice?: string;
}

/** Returns a short description of what works. @throws Fault; any other error is a failure too */
type Check = (config: Config) => string | Promise<string>;

/** Checks in display order. */
const CHECKS: Record<string, Check> = {
  SQLite: checkSqlite,
  'data folder': checkDataFolder,
  port: checkPort,
  secret: checkSecret,
  'open files': checkOpenFiles,
  database: checkDatabase,
  store: checkStore,
  Redis: checkRedis,
  mail: checkMail,
  bounces: checkBounces,
  PDF: checkPdf,
  clock: checkClock,
};

/** Runs all checks concurrently, each within 12 s, without lasting changes. Findings contain no secrets. */
export async function examine(): Promise<Finding[]> {
  const node = await find('Node', checkNode);
  try {
    const config = Config.fromProcess();
    const settings = await find('settings', () => checkNames(config));
    const others = Object.entries(CHECKS).map(([name, check]) => find(name, () => check(config)));
    return [node, settings, ...(await Promise.all(others))].map((finding) => withoutSecrets(finding, config));
  } catch (error) {
    const advice = 'correct the setting; the other checks need all settings, so they did not run';
    return [node, { check: 'settings', state: 'failed', detail: (error as Error).message, advice }];
  }
}

function checkNames({ misspelt, renamed }: Config): string {
  if (misspelt.length === 0) return ['all are valid', hintOfNames(renamed)].filter(Boolean).join('; ');
  const unknown = misspelt.map(({ name }) => name).join(', ');
  const advice = `did you mean ${misspelt.map(({ meant }) => meant).join(', ')}?`;
  throw new Fault(`no setting has the name ${unknown}`, advice, 'warning');
}

async function find(check: string, run: () => string | Promise<string>): Promise<Finding> {
  try {
    return { check, state: 'ok', detail: await inTime(Promise.resolve().then(run), LIMIT_MS, 'no result') };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    if (error instanceof Fault) return { check, state: error.state, detail: message, advice: error.advice };
    return { check, state: 'failed', detail: message || code || String(error) };
  }
}

const LEAST_CHARACTERS = 4;

/** Replaces all secrets of the settings in the texts of a finding: drivers quote URLs and responses in their errors. */
function withoutSecrets(finding: Finding, config: Config): Finding {
  const clean = (text: string) => secretsOf(config).reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  return { ...finding, detail: clean(finding.detail), ...(finding.advice && { advice: clean(finding.advice) }) };
}

function secretsOf({ secretKey, secretKeysOld, bootstrapApiKey, minio, smtp, redis, databaseUrl }: Config): string[] {
  const redisPassword = redis && ('url' in redis ? passwordOf(redis.url) : redis.password);
  const passwords = [passwordOf(serversOf(databaseUrl)[0]), passwordOf(smtp?.url), redisPassword];
  const others = [
    secretKey,
    ...secretKeysOld,
    bootstrapApiKey,
    minio?.secretKey,
    smtp?.oauth?.clientSecret,
    smtp?.oauth?.refreshToken,
  ];
  const secrets = [...passwords, ...others].filter((one) => one !== undefined && one.length >= LEAST_CHARACTERS) as string[];
  // Longest first, since one may be part of another.
  return secrets.flatMap((one) => [one, encodeURIComponent(one)]).sort((a, b) => b.length - a.length);
}

function passwordOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? decodeURIComponent(new URL(url).password) : undefined;
}
