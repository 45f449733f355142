import { Resolver } from 'node:dns/promises';
import { CHECK_MS } from './limits.js';

/** Timeout of a name server, and attempts per query. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;
/**
 * Bounds of the values of one name: their number and their length. Longer values are not our records. Company domains have a hundred,
 * mostly for other services.
 */
const MAX_VALUES = 500;
const MAX_LENGTH = 4_096;
/** c-ares codes for a name without such records. All others mean a failed lookup. */
const NONE = ['ENOTFOUND', 'ENODATA'];

/** Values of a name; undefined after a failed lookup. */
export type LookedUp = string[] | undefined;

/**
 * Looks up records for one check. Queries name servers directly (c-ares), like `resolveHost`. Leaves CNAME chains to the name server, which
 * detects loops. Drops overlong and excess values, as anybody can publish them.
 */
export class DnsLookups {
  private readonly resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  private readonly limit = setTimeout(() => this.resolver.cancel(), CHECK_MS);
  private readonly asked = new Map<string, Promise<LookedUp>>();

  /** Uses the name servers of the system by default. */
  constructor(servers?: readonly string[]) {
    if (servers) this.resolver.setServers(servers);
  }

  /** Returns TXT values, each with its strings joined. */
  txt(name: string): Promise<LookedUp> {
    return this.once(`TXT ${name}`, async () => {
      const records = await this.resolver.resolveTxt(name);
      return records.slice(0, MAX_VALUES).map((strings) => beginningOf(strings));
    });
  }

  cname(name: string): Promise<LookedUp> {
    return this.once(`CNAME ${name}`, async () => {
      const names = await this.resolver.resolveCname(name);
      return names.slice(0, MAX_VALUES).map((one) => one.replace(/\.$/, '').toLowerCase());
    });
  }

  /** Cancels all lookups. */
  close(): void {
    clearTimeout(this.limit);
    this.resolver.cancel();
  }

  private once(question: string, ask: () => Promise<string[]>): Promise<LookedUp> {
    let answer = this.asked.get(question);
    if (!answer) this.asked.set(question, (answer = ask().catch((error: NodeJS.ErrnoException) => noneOf(error))));
    return answer;
  }
}

const noneOf = ({ code = '' }: NodeJS.ErrnoException): LookedUp => (NONE.includes(code) ? [] : undefined);

/** Joins the strings of a TXT record up to a length beyond any valid value. */
function beginningOf(strings: string[]): string {
  let text = '';
  for (const string of strings) {
    text += string;
    if (text.length > MAX_LENGTH) break;
  }
  return text.slice(0, MAX_LENGTH + 1);
}
