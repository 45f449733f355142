// Caller that sends many requests at once and disconnects, and the work that the server continues afterwards.
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuSeconds, descendants } from './process-usage.mjs';

const AT_ONCE = 8;
const STAYS_MS = 1_000;
const LOOK_MS = 100;
/** Idle criterion: half a second in which the processes use less than a tenth of it. */
const QUIET_LOOKS = 5;
const QUIET_SECONDS = 0.03;

/** Processor time of a server and its processes, including exited ones. */
export class Work {
  constructor(pid) {
    this.pid = pid;
    this.byProcess = new Map();
  }

  seconds() {
    try {
      for (const pid of [this.pid, ...descendants(this.pid)]) this.byProcess.set(pid, cpuSeconds(pid));
    } catch (error) {
      if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error; // a process ended while it was read
    }
    return [...this.byProcess.values()].reduce((sum, one) => sum + one, 0);
  }
}

/** Sends a request and returns a function that aborts it. Reads none of the answer unless `read` is set. */
export function send(address, { path, method = 'GET', headers = {}, body }, { read = true } = {}) {
  let sent;
  const answered = new Promise((resolve) => {
    sent = request(address + path, { agent: false, method, headers: { ...headers, connection: 'close' } }, (response) => {
      if (!read) return response.on('error', () => undefined).pause();
      const chunks = [];
      response.on('data', (chunk) => chunks.length < 4 && chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode, text: String(Buffer.concat(chunks)) }));
      response.on('error', () => resolve(undefined));
    });
    sent.on('error', () => resolve(undefined));
    sent.end(body);
  });
  return { answered, leave: () => sent.destroy() };
}

/**
 * Sends the request on several connections, closes them after a second, and returns the processor time in ms that the server used from
 * one second later until it was idle. `isOpen` is true if it was still working after `patienceMs`.
 */
export async function workAfterLeaving(server, one, { atOnce = AT_ONCE, read = true, patienceMs }) {
  const work = new Work(server.pid);
  const sent = Array.from({ length: atOnce }, () => send(server.address, one, { read }));
  await delay(STAYS_MS);
  for (const { leave } of sent) leave();
  await delay(STAYS_MS);
  const from = work.seconds();
  const quietAt = await untilQuiet(work, patienceMs);
  return { ms: 1000 * ((quietAt?.seconds ?? work.seconds()) - from), isOpen: quietAt === undefined };
}

/** Resolves to the processor time at the start of the first idle half second; undefined if there was none. */
export async function untilQuiet(work, patienceMs) {
  const looks = [];
  for (const startedAt = performance.now(); performance.now() - startedAt < patienceMs;) {
    looks.push(work.seconds());
    if (looks.length > QUIET_LOOKS && looks.at(-1) - looks.at(-1 - QUIET_LOOKS) <= QUIET_SECONDS)
      return { seconds: looks.at(-1 - QUIET_LOOKS) };
    await delay(LOOK_MS);
  }
  return undefined;
}

/**
 * Sends requests one after another until `stop`, which returns the median and the longest wait in ms, and the number of answers other
 * than 200.
 */
export function askAgainAndAgain(address, one) {
  const waits = [];
  let failed = 0;
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      const answer = await send(address, one).answered;
      if (answer?.status === 200) waits.push(performance.now() - startedAt);
      else failed++;
      await delay(10);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await asking;
      waits.sort((a, b) => a - b);
      return { median: waits[waits.length >> 1] ?? Number.POSITIVE_INFINITY, longest: waits.at(-1), count: waits.length, failed };
    },
  };
}
