import type { ErrorCode } from '../../../../common/base/app-error.js';
import { asBytes, MIB } from '../../../../common/base/amounts.js';
import type { SourceField, SourcePart } from './rendering.js';

/** Maximum output size: in UTF-16 units while it is written, in UTF-8 bytes once it is complete. */
export const MAX_OUTPUT = 10 * MIB;

export const outputTooLarge = (): RenderingRefused =>
  new RenderingRefused({
    code: 'PAYLOAD_TOO_LARGE',
    field: null,
    message: `the output exceeds ${asBytes(MAX_OUTPUT)}; make the template or its params smaller`,
  });

/** Reason why a template or its params are refused, in a serializable form. */
export interface Refusal {
  code: ErrorCode;
  /** Wrong text, or `params`. The service adds the caller's name of the source. */
  field: SourceField | 'layoutId' | 'params' | null;
  /** Wrong partial or layout; null for the template itself. */
  part?: SourcePart | null;
  message: string;
}

/** Error of a refused template or params, during compilation or rendering. */
export class RenderingRefused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}
