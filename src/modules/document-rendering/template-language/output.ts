import { RenderingRefused } from '../rendering/render-job.js';

export const MAX_OUTPUT = 10 * 1024 * 1024;

export const outputTooLarge = (): RenderingRefused =>
  new RenderingRefused({ code: 'PAYLOAD_TOO_LARGE', field: null, message: 'the output would have more than 10 MiB' });
