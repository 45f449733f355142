import { RenderingRefused } from './refusal.js';

/** In UTF-16 units while the output is written, in bytes of UTF-8 once it is complete. */
export const MAX_OUTPUT = 10 * 1024 * 1024;

export const outputTooLarge = (): RenderingRefused =>
  new RenderingRefused({ code: 'PAYLOAD_TOO_LARGE', field: null, message: 'the output would have more than 10 MiB' });
