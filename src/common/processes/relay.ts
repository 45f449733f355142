import type { Worker } from 'node:cluster';
import { type Letter, lettersOf, type Parcel, PRIMARY, type ToPrimary, type ToWorker } from './letters.js';
import { Parcels } from './parcels.js';

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
  private readonly own = new Parcels(PRIMARY, (parcel, sent) => {
    this.carry(parcel);
    sent(null);
  });

  /** `answers`: what the primary itself answers, by topic. `maxWaitingLength` is lower in tests. */
  constructor(
    private readonly answers: Record<string, Answer>,
    private readonly maxWaitingLength = MAX_WAITING_LENGTH,
  ) {}

  serve(worker: Worker): void {
    worker.on('message', (message: ToPrimary) => {
      if (message.kind === 'parcel') this.carry(message);
      else if (message.kind === 'ready') this.add(worker);
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

  private carry(parcel: Parcel): void {
    if (parcel.to === PRIMARY) return lettersOf(parcel).forEach((letter) => void this.answer(parcel.from, letter));
    const mailbox = this.mailboxes.get(parcel.to);
    if (!mailbox) return;
    const { length } = parcel.letters;
    // Letters are dropped until all that waits was read, so that the worker knows which ones it has.
    if (mailbox.lostSinceMs !== undefined) return;
    if (mailbox.waitingLength + length > this.maxWaitingLength) return void (mailbox.lostSinceMs = Date.now());
    mailbox.waitingLength += length;
    post(mailbox, parcel, () => {
      mailbox.waitingLength -= length;
      if (mailbox.waitingLength > 0 || mailbox.lostSinceMs === undefined) return;
      post(mailbox, { kind: 'lost', sinceMs: mailbox.lostSinceMs });
      mailbox.lostSinceMs = undefined;
    });
  }

  private async answer(from: number, { topic, body, question }: Letter): Promise<void> {
    const reply = { topic, question, isAnswer: true };
    try {
      await this.own.post(from, { ...reply, body: await this.answers[topic]!(body) });
    } catch {
      await this.own.post(from, { ...reply, isFailure: true });
    }
  }
}

/** A letter to a worker that has just ended is lost with it. */
function post({ worker }: Mailbox, message: ToWorker, sent: () => void = () => undefined): void {
  if (worker.isConnected()) worker.process.send(message, () => sent());
}
