import { useEffect, useState } from 'react';

export type WorkState = 'running' | 'paused' | 'stopped' | 'done' | 'failed';

/** Work in steps, which can be paused and stopped between them. */
export class LongWork {
  private readonly aborting = new AbortController();
  private gate: PromiseWithResolvers<void> | undefined;

  get signal(): AbortSignal {
    return this.aborting.signal;
  }

  get isStopped(): boolean {
    return this.aborting.signal.aborted;
  }

  pause(): void {
    this.gate ??= Promise.withResolvers<void>();
  }

  resume(): void {
    this.gate?.resolve();
    this.gate = undefined;
  }

  stop(): void {
    this.aborting.abort();
    this.resume();
  }

  /** Waits while the work is paused. */
  async turn(): Promise<void> {
    while (this.gate) await this.gate.promise;
  }
}

/** Runs work with its controls, and stops it with the page. */
export function useLongWork() {
  const [work, setWork] = useState<LongWork>();
  const [state, setState] = useState<WorkState>();
  const [error, setError] = useState<unknown>();
  useEffect(() => () => work?.stop(), [work]);
  const start = async (run: (work: LongWork) => Promise<void>) => {
    const next = new LongWork();
    setWork(next);
    setState('running');
    setError(undefined);
    try {
      await run(next);
      setState(next.isStopped ? 'stopped' : 'done');
    } catch (fault) {
      if (!next.isStopped) setError(fault);
      setState(next.isStopped ? 'stopped' : 'failed');
    }
  };
  return {
    state,
    error,
    isBusy: state === 'running' || state === 'paused',
    start: (run: (work: LongWork) => Promise<void>) => void start(run),
    pause: () => {
      work?.pause();
      setState('paused');
    },
    resume: () => {
      work?.resume();
      setState('running');
    },
    stop: () => work?.stop(),
    reset: () => setState(undefined),
  };
}
