import { RenderingRefused } from '../rendering/render-job.js';

/** While it is written in UTF-16 units, when it is done in bytes of UTF-8. */
export const MAX_OUTPUT = 10 * 1024 * 1024;

export const outputTooLarge = (): RenderingRefused =>
  new RenderingRefused({ code: 'PAYLOAD_TOO_LARGE', field: null, message: 'the output would have more than 10 MiB' });
