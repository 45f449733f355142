import { once } from 'node:events';
import { Resolver } from 'node:dns/promises';
import { connect } from 'node:net';
import type { Config } from '../common/config/config.js';
import { Fault } from './fault.js';
import { listen } from './machine-checks.js';

const ANSWER_MS = 5_000;
const MX = 'set its MX record to the server that receives bounces, see docs/email.md';

/** Checks the MX record of RETURN_PATH_DOMAIN, and the port that receives bounces. */
export async function checkBounces({ returnPathDomain: domain, bounceListener: listener }: Config): Promise<string> {
  if (domain === undefined) return 'not used: they go to the sender';
  const port = listener && (await stateOf(listener));
  return [await mailServersOf(domain), port].filter(Boolean).join('; ');
}

async function mailServersOf(domain: string): Promise<string> {
  try {
    const records = await new Resolver({ timeout: ANSWER_MS, tries: 1 }).resolveMx(domain);
    const names = records.toSorted((a, b) => a.priority - b.priority).map(({ exchange }) => exchange);
    return `those to ${domain} go to ${names.slice(0, 3).join(', ')}`;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const isMissing = code === 'ENOTFOUND' || code === 'ENODATA';
    const detail = isMissing ? `${domain} has no MX record` : `the MX record of ${domain} cannot be looked up: ${code}`;
    throw new Fault(detail, isMissing ? MX : 'let this machine reach a name server', 'warning');
  }
}

async function stateOf({ port, host }: { port: number; host: string }): Promise<string> {
  const code = await listen(port, host);
  if (!code) return port === 0 ? 'received on any free port' : `port ${port} is free`;
  if (code === 'EADDRINUSE' && (await greets(port))) return `received on port ${port}`;
  if (code === 'EADDRINUSE') {
    throw new Fault(`BOUNCE_PORT ${port} is in use by another program`, 'stop that program, or set another BOUNCE_PORT');
  }
  throw new Fault(`BOUNCE_PORT ${port} of ${host} cannot be used: ${code}`, 'set another BOUNCE_PORT or BOUNCE_HOST');
}

/** Returns whether one of our servers uses the port. */
async function greets(port: number): Promise<boolean> {
  const socket = connect({ port, host: 'localhost' });
  try {
    const [greeting] = (await once(socket, 'data', { signal: AbortSignal.timeout(ANSWER_MS) })) as [Buffer];
    return String(greeting).includes('bounces only');
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
