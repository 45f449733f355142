import type { ErrorCode } from '../../../../common/base/app-error.js';
import type { SourceField, SourcePart } from './rendering.js';

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
