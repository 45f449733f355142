import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { send, untilQuiet, Work } from '../../bench/support/leaving.mjs';
import type { ServerProcess } from './process.js';

declare const databaseKind: 'sqlite' | 'postgresql';

/**
 * Limits of what a call may cost others. A neighbour may wait for one statement that stores a thousand rows, whatever its idle median.
 */
const BARS = { heldMs: 50, slower: 3, longerMs: 25, leftMs: 200 };
/** Number of neighbour requests while nothing else runs, and at least beside a call. */
const ASKED = 10;
const BESIDE_MS = 500;
/** Time after which an unanswered call is left. */
const PATIENCE_MS = 3_000;
const STAYS_MS = 100;
const LEFT_AFTER_MS = 1_000;
const QUIET_PATIENCE_MS = 10_000;
/** Period in which remaining work is measured. */
const LEFT_WINDOW_MS = 500;

export interface Call {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body: string | undefined;
}

interface Cost {
  /** Longest processor time during which the event loop was blocked. */
  heldMs: number;
  /** Factor by which the neighbour waited longer than when idle, and the difference. */
  slower: number;
  longerMs: number;
  /** Processor time in the half second that begins one second after the caller left. */
  leftMs: number;
}

/** Measures what one call costs a server and a neighbour with a small request. */
export class OneCall {
  private readonly work: Work;
  private reports = 0;

  constructor(
    private readonly server: ServerProcess,
    private readonly address: string,
    private readonly neighbour: Call,
  ) {
    this.work = new Work(server.child.pid!);
  }

  /** Waits until the server is idle: an earlier change may have background work. */
  async rest(): Promise<void> {
    await untilQuiet(this.work, QUIET_PATIENCE_MS);
  }

  /** Repeats a call on one connection for half a second, and measures what it costs others. */
  async costBeside(call: Call): Promise<Omit<Cost, 'leftMs'>> {
    const quiet = await this.waits(() => false);
    await this.held();
    let isOver = false;
    let leave = (): void => undefined;
    const sending = (async () => {
      while (!isOver) {
        const sent = send(this.address, call);
        ({ leave } = sent);
        await sent.answered;
      }
    })();
    const until = performance.now() + BESIDE_MS;
    const beside = await this.waits(() => performance.now() < until);
    isOver = true;
    leave();
    await sending;
    const [loaded, alone] = [median(beside), median(quiet)];
    return {
      heldMs: await this.held(),
      slower: loaded === Infinity ? Infinity : loaded / alone,
      longerMs: loaded === Infinity ? Infinity : loaded - alone,
    };
  }

  /** Sends a call once, leaves soon, and measures the work that continues a second later. */
  async workLeft(call: Call): Promise<number> {
    const { leave } = send(this.address, call);
    await delay(STAYS_MS);
    leave();
    await delay(LEFT_AFTER_MS);
    const from = this.work.seconds();
    await delay(LEFT_WINDOW_MS);
    return 1_000 * (this.work.seconds() - from);
  }

  /** Returns the answer of a call, or undefined if it exceeds the patience of a caller. */
  async answerOf(call: Call): Promise<{ status: number; text: string } | undefined> {
    const { answered, leave } = send(this.address, call);
    const answer = await Promise.race([answered, delay(PATIENCE_MS)]);
    leave();
    return answer as { status: number; text: string } | undefined;
  }

  /** Sends neighbour requests, for a number and a time. Refused ones are repeated forever. */
  private async waits(goesOn: () => boolean): Promise<number[]> {
    const waits: number[] = [];
    const giveUpAt = performance.now() + PATIENCE_MS;
    while ((waits.length < ASKED || goesOn()) && (waits.length === 0 || performance.now() < giveUpAt)) {
      const began = this.clock();
      const answer = (await send(this.address, this.neighbour).answered) as { status: number; text: string } | undefined;
      const isServed = answer?.status === 200 && !answer.text.includes('"errors"');
      waits.push(isServed ? longestOf(began, this.clock()) : Infinity);
    }
    return waits;
  }

  /**
   * The time by which a wait is measured: processor time of each thread of the server, so that other programs of the machine do not
   * count; beside PostgreSQL, which works in processes of its own, the time of the clock.
   */
  private clock(): Map<string, number> {
    if (databaseKind === 'postgresql') return new Map([['clock', performance.now()]]);
    const tasks = `/proc/${this.server.child.pid!}/task`;
    return new Map(readdirSync(tasks).map((task) => [task, processorMs(`${tasks}/${task}/schedstat`)]));
  }

  /** Returns how long the event loop was blocked at most since the last report (loop-probe.mjs). */
  private async held(): Promise<number> {
    const report = this.reports++;
    this.server.child.kill('SIGUSR2');
    const line = await this.server.until(new RegExp(`held ${report} [\\d.]+ ms`));
    return Number(line.split(' ')[2]);
  }
}

/** A thread that has ended has no times left to read. */
function processorMs(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    return 0;
  }
}

const longestOf = (began: Map<string, number>, ended: Map<string, number>): number =>
  Math.max(...Array.from(ended, ([task, ms]) => ms - (began.get(task) ?? 0)));

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

/** Returns the limits that a cost exceeds, in words; empty if none. */
export function faultsOf({ heldMs = 0, slower = 0, longerMs = 0, leftMs = 0 }: Partial<Cost>): string[] {
  return [
    ...(heldMs > BARS.heldMs ? [`holds the event loop for ${heldMs.toFixed(0)} ms`] : []),
    ...(slower > BARS.slower && longerMs > BARS.longerMs
      ? [`makes another tenant wait ${slower.toFixed(1)} times as long, ${longerMs.toFixed(0)} ms more`]
      : []),
    ...(leftMs > BARS.leftMs
      ? [`continues after its caller left: ${leftMs.toFixed(0)} ms of processor time in half a second`]
      : []),
  ];
}
