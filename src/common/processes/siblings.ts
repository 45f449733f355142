import cluster from 'node:cluster';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SIGN_MS } from './life-signs.js';
import { type Letter, lettersOf, PRIMARY, type ToPrimary, type ToWorker } from './letters.js';
import { Parcels } from './parcels.js';

/** How long a question waits for its answer, unless it says otherwise. */
const ANSWER_MS = 10_000;

/** The other process ended, or did not answer in time. */
export class NoAnswer extends Error {}

type Handler = (body: never, from: number) => unknown;

/** Hears of changes among the other workers. */
export interface SiblingsWatcher {
  /** Other workers started or ended. */
  changed(others: ReadonlySet<number>): void;
  /** Letters sent to this worker since then may be missing. */
  lost(sinceMs: number): void;
}

interface Question {
  to: number;
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

/**
 * The other workers of this node: processes that serve the same port. Letters between two of them arrive in order, through the
 * primary. A node of a single process has none.
 */
@Injectable()
export class Siblings implements OnApplicationBootstrap {
  readonly id = cluster.worker?.id ?? PRIMARY;
  private readonly handlers = new Map<string, Handler>();
  private readonly questions = new Map<number, Question>();
  private readonly parcels = new Parcels(this.id, hand);
  private lastQuestion = 0;
  private all: ReadonlySet<number> | undefined;
  private watcher: SiblingsWatcher | undefined;

  /** Whether this node can have other workers. */
  get exist(): boolean {
    return this.id !== PRIMARY;
  }

  get others(): number[] {
    return [...(this.all ?? [])];
  }

  /** Handles letters of a topic; what it returns answers a question. To be called before the application starts. */
  on(topic: string, handle: Handler): void {
    this.handlers.set(topic, handle);
  }

  watch(watcher: SiblingsWatcher): void {
    this.watcher = watcher;
    if (this.all) watcher.changed(this.all);
  }

  /** Takes letters from now on. */
  onApplicationBootstrap(): void {
    if (!this.exist) return;
    process.on('message', (message: ToWorker) => this.receive(message));
    hand({ kind: 'ready' }, () => undefined); // without a primary this process ends
    setInterval(() => hand({ kind: 'alive' }, () => undefined), SIGN_MS).unref();
  }

  /** Resolves once the letter is on its way. @throws NoAnswer if the primary has ended */
  send(to: number, topic: string, body: unknown): Promise<void> {
    return this.parcels.post(to, { topic, body });
  }

  /** Asks a worker, this one included, or the primary. @throws NoAnswer */
  ask(to: number, topic: string, body?: unknown, patienceMs = ANSWER_MS): Promise<unknown> {
    const question = ++this.lastQuestion;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.fail(question, `no answer within ${patienceMs} ms`), patienceMs);
      this.questions.set(question, { to, resolve, reject, timer });
      this.parcels.post(to, { topic, body, question }).catch((error: Error) => this.fail(question, error.message));
    });
  }

  private receive(message: ToWorker): void {
    if (message.kind === 'siblings') this.meet(message.ids);
    else if (message.kind === 'lost') this.watcher?.lost(message.sinceMs);
    else for (const letter of lettersOf(message)) this.read(message.from, letter);
  }

  private read(from: number, letter: Letter): void {
    if (letter.isAnswer) this.hear(letter);
    else void this.handle(from, letter);
  }

  private meet(ids: number[]): void {
    const known = new Set(ids.filter((id) => id !== this.id));
    this.all = known;
    for (const [question, { to }] of this.questions) {
      if (to !== PRIMARY && to !== this.id && !known.has(to)) this.fail(question, 'the other process has ended');
    }
    this.watcher?.changed(known);
  }

  private hear({ question, body, isFailure }: Letter): void {
    if (isFailure) return this.fail(question!, 'the other process could not answer');
    this.take(question!)?.resolve(body);
  }

  private async handle(from: number, { topic, body, question }: Letter): Promise<void> {
    const reply = { topic, question, isAnswer: true };
    try {
      const answer = await this.handlers.get(topic)?.(body as never, from);
      if (question !== undefined) await this.parcels.post(from, { ...reply, body: answer });
    } catch {
      if (question !== undefined) await this.parcels.post(from, { ...reply, isFailure: true }).catch(() => undefined);
    }
  }

  private fail(question: number, reason: string): void {
    this.take(question)?.reject(new NoAnswer(reason));
  }

  private take(question: number): Question | undefined {
    const asked = this.questions.get(question);
    this.questions.delete(question);
    if (asked) clearTimeout(asked.timer);
    return asked;
  }
}

function hand(message: ToPrimary, sent: (error: Error | null) => void): void {
  process.send!(message, undefined, undefined, (error) => sent(error && new NoAnswer(error.message)));
}
