// Applications of a soak: each repeats the steps of one kind of work, and compares at the end what was answered with what is stored.
import { setTimeout as sleep } from 'node:timers/promises';
import { Caller } from './caller.mjs';
import { Events } from './events.mjs';
import { Mails } from './mails.mjs';
import { MailServer } from './parts.mjs';
import { Recipient } from './recipients.mjs';
import { Files, Pushes, Records, Renderings } from './work.mjs';

/** Pause between two steps of an application. */
const STEP_PAUSE_MS = 100;
const CONNECTED_WITHIN_MS = 60_000;

/**
 * Uses all five services of a platform concurrently, through its API, with connected recipients, a receiver of events and a mail server.
 */
export class Applications {
  recipients = [];
  works = [];
  #loops = [];
  #isOver = false;

  static async create() {
    const applications = new Applications();
    applications.mail = await MailServer.start();
    return applications;
  }

  /** Settings that the platform needs, besides its database and its store. */
  get settings() {
    return {
      SMTP_URL: `smtp://127.0.0.1:${this.mail.port}`,
      EMAIL_FROM: 'soak@sender.example',
      RETURN_PATH_DOMAIN: 'bounces.sender.example',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      WEBHOOK_ALLOW_HTTP: 'true',
      WEBSOCKET_HEARTBEAT_SECONDS: '2',
    };
  }

  /** Starts the steps of all kinds of work, with a key that has all scopes. */
  async start(address, key, recipientCount) {
    this.caller = new Caller(address, key);
    this.recipients = Array.from(
      { length: recipientCount },
      (_, index) => new Recipient(new Caller(address, key), `recipient-${index}`),
    );
    this.pushes = new Pushes(this.caller, this.recipients);
    this.events = new Events(this.caller);
    this.mails = new Mails(this.caller, this.mail);
    this.works = [
      new Files(this.caller),
      new Renderings(this.caller),
      this.pushes,
      new Records(this.caller),
      this.events,
      this.mails,
    ];
    for (const work of this.works) await work.prepare?.();
    for (const recipient of this.recipients) void recipient.stay();
    this.#loops = this.works.map((work) => this.#repeat(work));
  }

  /** Sends further requests to another server of the platform. */
  lead(address) {
    for (const { caller } of [this, ...this.recipients]) caller.address = address;
  }

  /** Resolves once every application had this many further steps answered. */
  async progress(count) {
    const wanted = new Map(this.works.map((work) => [work, (work.steps ?? 0) + count]));
    while ([...wanted].some(([work, steps]) => (work.steps ?? 0) < steps)) await sleep(20);
  }

  async connected() {
    for (const end = Date.now() + CONNECTED_WITHIN_MS; Date.now() < end; await sleep(50)) {
      if (this.recipients.every(({ isConnected }) => isConnected)) return;
    }
    throw new Error('recipients stay without a connection');
  }

  /** Stops the steps. Steps that must be answered are repeated until they are, so the platform has to be up. */
  async stop() {
    this.#isOver = true;
    await Promise.all(this.#loops);
    await this.connected();
  }

  /** Compares what was answered with what is stored, for each work. */
  async outcomes() {
    const outcomes = [];
    for (const work of this.works) outcomes.push({ name: `${work.name}, as they were answered:`, ...(await work.problems()) });
    return outcomes;
  }

  /** Stops everything, even after a failure. */
  async remove() {
    this.#isOver = true;
    this.caller?.close();
    for (const recipient of this.recipients) recipient.leave();
    await this.events?.away().catch(() => undefined);
    await this.mail.stop();
  }

  async #repeat(work) {
    while (!this.#isOver) {
      await work.step().then(
        () => (work.steps = (work.steps ?? 0) + 1),
        () => undefined, // the caller keeps why
      );
      await sleep(STEP_PAUSE_MS);
    }
  }
}
