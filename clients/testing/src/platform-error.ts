/** A refusal of the server. `code` is one of the codes that its documentation lists, such as BAD_USER_INPUT. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';

  constructor(
    readonly code: string,
    message: string,
    /** Path of the wrong value, such as `input.expiresIn`. */
    readonly field?: string,
  ) {
    super(message);
  }
}
