import type { Config } from '../common/config/config.js';
import { readPostgresClock } from '../common/database/migrator.js';
import { Fault } from './fault.js';

const ANSWER_MS = 5_000;
/** Leases and expiries tolerate less than this, and the Date header of a store has whole seconds. */
const MUCH_MS = 5_000;
/** S3 refuses requests that were signed with a clock that is off by more. */
const TOO_MUCH_MS = 15 * 60_000;

/** Compares the clock of this machine with those of the parts. A part that cannot be reached is reported by its own check. */
export async function checkClock({ isPostgres, databaseUrl, minio }: Config): Promise<string> {
  const clocks: [string, () => Promise<number>][] = [];
  if (isPostgres) clocks.push(['the database', () => readPostgresClock(databaseUrl)]);
  if (minio) clocks.push(['the store', () => storeClock(minio.endpoint)]);
  const offs = await Promise.all(clocks.map(([name, read]) => offOf(name, read)));
  const [worst] = offs.filter((off) => off !== undefined).sort((a, b) => Math.abs(b.ms) - Math.abs(a.ms));
  if (!worst) return clocks.length > 0 ? 'not compared' : 'nothing to compare with';
  const { name, ms } = worst;
  if (Math.abs(ms) <= MUCH_MS) return `as those of ${clocks.map(([one]) => one).join(' and ')}`;
  const state = Math.abs(ms) > TOO_MUCH_MS ? 'failed' : 'warning';
  const amount = `${Math.round(Math.abs(ms) / 1_000)} s ${ms > 0 ? 'behind' : 'ahead of'}`;
  throw new Fault(`the clock here is ${amount} that of ${name}`, 'let NTP set the clocks of both machines', state);
}

/** Returns how far the other clock is ahead, allowing for the duration of the request. */
async function offOf(name: string, read: () => Promise<number>): Promise<{ name: string; ms: number } | undefined> {
  const asked = Date.now();
  const told = await read().catch(() => undefined);
  if (told === undefined || !Number.isFinite(told)) return undefined;
  const answered = Date.now();
  if (told >= asked && told <= answered) return { name, ms: 0 };
  return { name, ms: told > answered ? told - answered : told - asked };
}

/** The answer may be a refusal: only its date counts. */
async function storeClock(endpoint: string): Promise<number> {
  const { headers } = await fetch(endpoint, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) });
  return Date.parse(headers.get('date') ?? '');
}
