import type { Worker } from 'node:cluster';
import { encoded, type Letter, PRIMARY, type ToPrimary, type ToWorker } from './letters.js';

/** How many characters of letters wait for a worker that does not read. Any more are dropped, and the worker is told of it. */
const MAX_WAITING_LENGTH = 64 * 1024 * 1024;

type Answer = (body: unknown) => Promise<unknown>;

interface Mailbox {
  worker: Worker;
  waitingLength: number;
  /** Since when letters were dropped. */
  lostSinceMs?: number;
}

/** Carries letters between the workers, in the primary. */
export class Relay {
  private readonly mailboxes = new Map<number, Mailbox>();

  /** `answers`: what the primary itself answers, by topic. */
  constructor(private readonly answers: Record<string, Answer>) {}

  serve(worker: Worker): void {
    worker.on('message', (message: ToPrimary) => {
      if (message.kind === 'letter') this.carry(message);
      else this.add(worker);
    });
    worker.on('disconnect', () => this.remove(worker));
  }

  private add(worker: Worker): void {
    this.mailboxes.set(worker.id, { worker, waitingLength: 0 });
    this.introduce();
  }

  private remove(worker: Worker): void {
    if (this.mailboxes.delete(worker.id)) this.introduce();
  }

  private introduce(): void {
    const ids = [...this.mailboxes.keys()];
    for (const mailbox of this.mailboxes.values()) post(mailbox, { kind: 'siblings', ids });
  }

  private carry(letter: Letter): void {
    if (letter.to === PRIMARY) return void this.answer(letter);
    const mailbox = this.mailboxes.get(letter.to);
    if (!mailbox) return;
    const { length } = letter.body;
    // Letters are dropped until all that waits was read, so that the worker knows which ones it has.
    if (mailbox.lostSinceMs !== undefined) return;
    if (mailbox.waitingLength + length > MAX_WAITING_LENGTH) return void (mailbox.lostSinceMs = Date.now());
    mailbox.waitingLength += length;
    post(mailbox, letter, () => {
      mailbox.waitingLength -= length;
      if (mailbox.waitingLength > 0 || mailbox.lostSinceMs === undefined) return;
      post(mailbox, { kind: 'lost', sinceMs: mailbox.lostSinceMs });
      mailbox.lostSinceMs = undefined;
    });
  }

  private async answer({ from, topic, body, question }: Letter): Promise<void> {
    const reply = { kind: 'letter', from: PRIMARY, to: from, topic, question, isAnswer: true } as const;
    try {
      this.carry({ ...reply, body: encoded(await this.answers[topic]!(JSON.parse(body))) });
    } catch {
      this.carry({ ...reply, body: encoded(null), isFailure: true });
    }
  }
}

/** A letter to a worker that has just ended is lost with it. */
function post({ worker }: Mailbox, message: ToWorker, sent: () => void = () => undefined): void {
  if (worker.isConnected()) worker.process.send(message, () => sent());
}
