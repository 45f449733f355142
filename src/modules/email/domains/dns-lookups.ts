import { Resolver } from 'node:dns/promises';
import { CHECK_MS } from './limits.js';

/** How long a name server may take, and how often it is asked. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;
/**
 * How many values of one name are looked at, and how long each may be: a longer one is no record of ours. Domains of companies have
 * a hundred, most of them for other services.
 */
const MAX_VALUES = 500;
const MAX_LENGTH = 4_096;
/** Codes of c-ares for a name without such records. All others say that the name servers did not tell. */
const NONE = ['ENOTFOUND', 'ENODATA'];

/** The values of a name; undefined if the name servers did not tell them. */
export type LookedUp = string[] | undefined;

/**
 * Looks records up for one check. Asks name servers by itself (c-ares), as `resolveHost` does, and follows no chain of names by
 * itself: the name server does, and ends loops. Answers are of anybody: what is too long or too much is left out.
 */
export class DnsLookups {
  private readonly resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  private readonly limit = setTimeout(() => this.resolver.cancel(), CHECK_MS);
  private readonly asked = new Map<string, Promise<LookedUp>>();

  /** `servers` are those of the system by default. */
  constructor(servers?: readonly string[]) {
    if (servers) this.resolver.setServers(servers);
  }

  /** Returns texts, each with its strings joined. */
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

  /** Ends all look-ups. */
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

/** Joins the strings of a TXT record. A text that was cut is longer than any that is compared with it. */
function beginningOf(strings: string[]): string {
  let text = '';
  for (const string of strings) {
    text += string;
    if (text.length > MAX_LENGTH) break;
  }
  return text.slice(0, MAX_LENGTH + 1);
}
