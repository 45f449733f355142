// Room: Messages between the primary and its workers, their memory, and worker threads.
import type { Worker } from 'node:cluster';
import { afterSilence } from '../base/in-time.js';

/** Requests of the primary, which starts the workers, to a worker: whether its event loop turns, and its figures. */
export const IS_ALIVE = 'is alive';
export const FIGURES = 'figures';
/** The request of a worker to the primary. */
export const FIGURES_OF_ALL = 'figures of all workers';

interface Message {
  request?: string;
  responseTo?: string;
  /** Number of the request. A response that comes after its limit is none to a later request of the same name. */
  number: number;
  response?: unknown;
}

let lastNumber = 0;

/**
 * Sends a request to the process at the other end of the channel of a worker, the primary or the worker. Resolves to its response, or
 * to undefined if there is none in time or the process has ended.
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

/** Responds to a request from the other end. Work that fails gives no response. */
export function respond(channel: Worker, name: string, work: () => Promise<unknown>): void {
  channel.on('message', (message: Message) => {
    if (message.request !== name) return;
    work().then(
      (response) => send(channel, { responseTo: name, number: message.number, response }),
      () => undefined,
    );
  });
}

/** A message to a process that has just ended is lost with it. */
function send(channel: Worker, message: Message): void {
  if (channel.isConnected()) channel.send(message, () => undefined);
}
