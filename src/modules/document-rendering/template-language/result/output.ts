import { RenderingRefused } from './refusal.js';
import { asBytes, MIB } from '../../../../common/base/amounts.js';

/** The longest output: in UTF-16 units while it is written, in bytes of UTF-8 once it is complete. */
export const MAX_OUTPUT = 10 * MIB;

export const outputTooLarge = (): RenderingRefused =>
  new RenderingRefused({
    code: 'PAYLOAD_TOO_LARGE',
    field: null,
    message: `the output would have more than ${asBytes(MAX_OUTPUT)}`,
  });
