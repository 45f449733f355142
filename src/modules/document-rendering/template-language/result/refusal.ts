import type { ErrorCode } from '../../../../common/errors/app-error.js';
import type { SourceField } from './rendering.js';

/** Why a source or its params are refused, in a form that passes between processes. */
export interface Refusal {
  code: ErrorCode;
  /** The text that is wrong, or `params`; the service puts the caller's name of the source before it. */
  field: SourceField | 'params' | null;
  message: string;
}

/** Thrown wherever templates are compiled and rendered. */
export class RenderingRefused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}
