import type { ErrorCode } from '../../../../common/base/app-error.js';
import { asBytes, MIB } from '../../../../common/base/amounts.js';
import type { SourceField, SourcePart } from './rendering.js';

/** The longest output: in UTF-16 units while it is written, in bytes of UTF-8 once it is complete. */
export const MAX_OUTPUT = 10 * MIB;

export const outputTooLarge = (): RenderingRefused =>
  new RenderingRefused({
    code: 'PAYLOAD_TOO_LARGE',
    field: null,
    message: `the output would have more than ${asBytes(MAX_OUTPUT)}`,
  });

/** Why a source or its params are refused, in a form that passes between processes. */
export interface Refusal {
  code: ErrorCode;
  /** The text that is wrong, or `params`. The service prefixes it with the caller's name of the source. */
  field: SourceField | 'layoutId' | 'params' | null;
  /** The partial or layout that is wrong, unless it is a text of the template itself. */
  part?: SourcePart | null;
  message: string;
}

/** Thrown while a template is compiled or rendered, if it or its params are refused. */
export class RenderingRefused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}
