/** What a check of `doctor` found wrong. A failure keeps the server from working, a warning does not. */
export class Fault extends Error {
  constructor(
    message: string,
    /** What to do, as one line. */
    readonly advice: string,
    readonly state: 'warning' | 'failed' = 'failed',
  ) {
    super(message);
  }
}
