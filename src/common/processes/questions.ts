import type { Worker } from 'node:cluster';

/** What the primary, which starts the workers, asks a worker: whether its event loop turns, and its figures. */
export const IS_ALIVE = 'is alive';
export const FIGURES = 'figures';
/** What a worker asks the primary. */
export const FIGURES_OF_ALL = 'figures of all workers';

interface Message {
  question?: string;
  answerTo?: string;
  answer?: unknown;
}

/**
 * Asks the process at the other end of the channel of a worker, the primary or the worker. Resolves to undefined if it does not
 * answer in time, or has ended. A question is not asked again before the last one has resolved.
 */
export function ask(channel: Worker, question: string, patienceMs: number): Promise<unknown> {
  return new Promise((resolve) => {
    const end = (answer?: unknown): void => {
      clearTimeout(timer);
      channel.off('message', hear);
      channel.off('disconnect', end);
      resolve(answer);
    };
    const hear = ({ answerTo, answer }: Message): void => {
      if (answerTo === question) end(answer);
    };
    const timer = setTimeout(end, patienceMs);
    channel.on('message', hear);
    channel.once('disconnect', end);
    send(channel, { question });
  });
}

/** Answers a question from the other end. Work that fails gives no answer. */
export function answer(channel: Worker, question: string, work: () => Promise<unknown>): void {
  channel.on('message', (message: Message) => {
    if (message.question !== question) return;
    work().then(
      (result) => send(channel, { answerTo: question, answer: result }),
      () => undefined,
    );
  });
}

/** A message to a process that has just ended is lost with it. */
function send(channel: Worker, message: Message): void {
  if (channel.isConnected()) channel.send(message, () => undefined);
}
