/** An error of the server. `code` is a documented code, such as BAD_USER_INPUT. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';

  constructor(
    readonly code: string,
    message: string,
    /** Path of the invalid value, such as `input.expiresIn`. */
    readonly field?: string,
  ) {
    super(message);
  }
}
