/** Fault found by a check of `doctor`. A failure keeps the server from working, a warning does not. */
export class Fault extends Error {
  constructor(
    message: string,
    /** Remedy in one line. */
    readonly advice: string,
    readonly state: 'warning' | 'failed' = 'failed',
  ) {
    super(message);
  }
}
