/** A fault that a check of `doctor` found. A failure keeps the server from working, a warning does not. */
export class Fault extends Error {
  constructor(
    message: string,
    /** Advice, as one line. */
    readonly advice: string,
    readonly state: 'warning' | 'failed' = 'failed',
  ) {
    super(message);
  }
}
