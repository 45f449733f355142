// The mails of a soak: some recipients do not exist, of some a report comes later, and later mails to those are not sent.
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { insist, PAGE, pages } from './work.mjs';

const MOST_RECIPIENTS = 3;
/** Ratio of recipients that do not exist. */
const GONE = 6;
/** Number of mails after which a report arrives, and a mail is sent to an address that bounced. */
const REPORT_EVERY = 5;
const AGAIN_EVERY = 7;
/** A mail that was refused for a moment is tried again after up to a minute, or later after an outage. */
const PATIENCE_MS = 180_000;
/** Texts of reports, and their statuses. */
const STATUS = { HARD: '5.1.1', SOFT: '5.2.2' };

/**
 * Sends mails. Each must arrive at all recipients but those that do not exist; one that arrives again, after a crash, has the id that
 * it had. Each bounce must be recorded, and no others; who bounced hard is suppressed, and nobody else.
 */
export class Mails {
  name = 'mails';
  /** Recipients of each answered mail, and the expected outcome: ARRIVES, REFUSED or SUPPRESSED. */
  #sent = new Map();
  /** Reports by address. */
  #reported = new Map();
  repeated = 0;

  constructor(caller, server) {
    this.caller = caller;
    this.server = server;
  }

  get summary() {
    const recipients = [...this.#sent.values()].flat();
    const count = (wanted) => recipients.filter(({ fate }) => fate === wanted).length;
    const hard = [...this.#reported.values()].filter((kind) => kind === 'HARD').length;
    return (
      `${recipients.length} recipients of ${this.#sent.size} mails: ${count('REFUSED')} were refused by 5.1.1, ${hard} were reported as ` +
      `hard and ${this.#reported.size - hard} as soft bounces, ${count('SUPPRESSED')} were suppressed`
    );
  }

  async step() {
    const to = Array.from({ length: randomInt(1, MOST_RECIPIENTS + 1) }, () =>
      randomInt(GONE) === 0
        ? { address: `gone-${randomUUID()}@example.com`, fate: 'REFUSED' }
        : { address: `${randomUUID()}@example.com`, fate: 'ARRIVES' },
    );
    await this.#send(to);
    if (this.#sent.size % REPORT_EVERY === 0) await this.#report(randomInt(3) === 0 ? 'SOFT' : 'HARD');
    if (this.#sent.size % AGAIN_EVERY === 0) await this.#sendAgain();
  }

  async #send(to) {
    const addresses = to.map(({ address }) => ({ address }));
    const input = { to: addresses, subject: 'Hello', textBody: 'Hello', idempotencyKey: randomUUID() };
    const mutation = 'mutation($input:SendMessageInput!){sendMessage(input:$input){id}}';
    const { sendMessage } = await insist(this.caller, () => this.caller.ask('email', mutation, { input }));
    this.#sent.set(sendMessage.id, to);
  }

  /** Brings the report of a mail that arrived, until it is answered. */
  async #report(kind) {
    const [address, { from } = {}] = [...this.server.arrived].find(([one]) => !this.#reported.has(one)) ?? [];
    if (!address) return;
    this.#reported.set(address, kind);
    const head = `From: MAILER-DAEMON@mx.example\nTo: ${from}\nContent-Type: message/delivery-status\n\n`;
    const report = `${head}Final-Recipient: rfc822; ${address}\nAction: failed\nStatus: ${STATUS[kind]}\n`;
    await insist(this.caller, () =>
      this.caller.ask('email', 'mutation($report:String!){reportBounce(report:$report){kind}}', { report }),
    );
  }

  /** Sends to an address that is suppressed by now, and to another one. */
  async #sendAgain() {
    const bounced = this.#bounced();
    if (bounced.length === 0) return;
    const address = bounced[randomInt(bounced.length)];
    const query = 'query($address:String){suppressions(filter:{address:$address}){items{address}}}';
    const { suppressions } = await this.caller.ask('email', query, { address });
    if (suppressions.items.length === 0) return; // the mail that was refused waits for an attempt
    await this.#send([
      { address, fate: 'SUPPRESSED' },
      { address: `${randomUUID()}@example.com`, fate: 'ARRIVES' },
    ]);
  }

  /** Addresses that must be suppressed in the end. */
  #bounced() {
    const gone = [...this.#sent.values()].flat().filter(({ fate }) => fate === 'REFUSED');
    const reported = [...this.#reported].filter(([, kind]) => kind === 'HARD');
    return [...gone.map(({ address }) => address), ...reported.map(([address]) => address)];
  }

  async problems() {
    const states = await this.#settled();
    const found = [];
    for (const [id, recipients] of this.#sent) {
      const stored = new Map(states.get(id)?.recipients.map((one) => [one.address, one]));
      for (const recipient of recipients) {
        const fault = this.#faultOf(recipient, stored.get(recipient.address));
        if (fault) found.push(`mail ${id} to ${recipient.address} ${fault}`);
      }
    }
    if (states.size !== this.#sent.size) found.push(`${states.size} mails are there, ${this.#sent.size} were answered`);
    for (const [address, { times, ids }] of this.server.arrived) {
      if (times > 1) this.repeated += 1;
      if (ids.size > 1) found.push(`the mail to ${address} arrived as ${[...ids].join(' and ')}`);
    }
    found.push(...(await this.#suppressionFaults()));
    return { checked: this.#sent.size, found };
  }

  /** Returns what is wrong with the state of a recipient. */
  #faultOf({ address, fate }, stored) {
    if (!stored) return 'is lost';
    const { status, suppressed, bounce } = stored;
    const shown = JSON.stringify(stored);
    if (fate === 'SUPPRESSED') {
      // An attempt that a crash interrupted counts, although nothing was sent: else the address would have had mails of two ids.
      const isRight = status === 'FAILED' && suppressed === 'HARD_BOUNCE' && bounce === null;
      return isRight ? undefined : `should be suppressed, and is ${shown}`;
    }
    if (fate === 'REFUSED') {
      if (!this.server.refused.has(address)) return `was never tried, and is ${shown}`;
      return status === 'FAILED' && suppressed === null && bounce === null ? undefined : `was refused, and is ${shown}`;
    }
    const kind = this.#reported.get(address);
    if (!this.server.arrived.has(address)) return `did not arrive, and is ${shown}`;
    if (bounce?.kind !== kind) return `bounced as ${kind}, and is ${shown}`;
    // A report can come before the delivery is noted; where that is lost in a crash, the next attempt finds the address suppressed.
    const isRepeated = kind === 'HARD' && status === 'FAILED' && suppressed === 'HARD_BOUNCE';
    return status === 'SENT' || isRepeated ? undefined : `arrived, and is ${shown}`;
  }

  /** Compares suppressed addresses with bounced ones. */
  async #suppressionFaults() {
    const query = `query($nextToken:String){suppressions(limit:${PAGE},nextToken:$nextToken){items{address reason} nextToken}}`;
    const read = async (nextToken) => (await this.caller.ask('email', query, { nextToken })).suppressions;
    const suppressed = new Map();
    const found = [];
    for await (const { address, reason } of pages(read)) {
      if (suppressed.has(address)) found.push(`${address} is suppressed twice`);
      suppressed.set(address, reason);
    }
    const bounced = new Set(this.#bounced());
    for (const address of bounced) {
      if (suppressed.get(address) !== 'HARD_BOUNCE')
        found.push(`${address} bounced, and is suppressed as ${suppressed.get(address)}`);
    }
    for (const address of suppressed.keys())
      if (!bounced.has(address)) found.push(`${address} is suppressed, and did not bounce`);
    return found;
  }

  /** Returns all mails, once none is queued any more. */
  async #settled() {
    for (const end = Date.now() + PATIENCE_MS; ; await sleep(1_000)) {
      const states = new Map();
      const fields = 'items{id status recipients{address status suppressed attempts bounce{kind}}} nextToken';
      const query = `query($nextToken:String){messages(limit:${PAGE},nextToken:$nextToken){${fields}}}`;
      const read = async (nextToken) => (await this.caller.ask('email', query, { nextToken })).messages;
      for await (const mail of pages(read)) states.set(mail.id, mail);
      if (Date.now() > end || ![...states.values()].some(({ status }) => status === 'QUEUED')) return states;
    }
  }
}
