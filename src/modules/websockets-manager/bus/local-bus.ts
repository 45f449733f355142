import { Bus } from './bus.js';

/** The bus of a single node, where no other nodes exist. */
export class LocalBus extends Bus {
  readonly nodeId = 'local';
  readonly isComplete = true;

  listen(): void {}
  async join(): Promise<void> {}
  async leave(): Promise<void> {}
  async elsewhere(): Promise<never[]> {
    return [];
  }
  async recipients(): Promise<undefined> {}
  async nodesWith(): Promise<never[]> {
    return [];
  }
  async send(): Promise<void> {}
  async check(): Promise<void> {}
  async close(): Promise<void> {}
}
