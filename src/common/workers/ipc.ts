// Room: Messages between the primary and its workers, their memory, and worker threads.
import type { Worker } from 'node:cluster';
import { afterSilence } from '../base/in-time.js';

/** Requests of the primary to a worker: whether its event loop turns, and its metrics. */
export const IS_ALIVE = 'is alive';
export const FIGURES = 'figures';
/** Request of a worker to the primary. */
export const FIGURES_OF_ALL = 'figures of all workers';

interface Message {
  request?: string;
  responseTo?: string;
  /** Number of the request. A late response is not mistaken for that of a later request with the same name. */
  number: number;
  response?: unknown;
}

let lastNumber = 0;

/**
 * Sends a request from a worker to the primary, or vice versa. Resolves to its response, or to undefined after the timeout or if the
 * process has exited.
 */
export function request(channel: Worker, name: string, timeoutMs: number): Promise<unknown> {
  const number = ++lastNumber;
  return new Promise((resolve) => {
    const end = (response?: unknown): void => {
      answered();
      channel.off('message', onMessage);
      channel.off('disconnect', end);
      resolve(response);
    };
    const onMessage = (message: Message): void => {
      if (message.responseTo === name && message.number === number) end(message.response);
    };
    const answered = afterSilence(timeoutMs, end);
    channel.on('message', onMessage);
    channel.once('disconnect', end);
    send(channel, { request: name, number });
  });
}

/** Responds to requests of the other process. Failed work gives no response. */
export function respond(channel: Worker, name: string, work: () => Promise<unknown>): void {
  channel.on('message', (message: Message) => {
    if (message.request !== name) return;
    work().then(
      (response) => send(channel, { responseTo: name, number: message.number, response }),
      () => undefined,
    );
  });
}

/** Sends a message. It is lost if the process has just exited. */
function send(channel: Worker, message: Message): void {
  if (channel.isConnected()) channel.send(message, () => undefined);
}
