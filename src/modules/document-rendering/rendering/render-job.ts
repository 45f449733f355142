import type { ErrorCode } from '../../../common/errors/app-error.js';

/** All that decides, with the params, what is rendered. */
export interface TemplateSource {
  type: 'email' | 'document';
  contentType: 'plain' | 'html';
  subject: string | null;
  body: string;
  /** The parent's stylesheet first, the local rules after it. */
  css: string[];
}

/** What a child process is asked for. Everything in it can be serialised. */
export type RenderJob =
  | { kind: 'compile'; source: TemplateSource }
  | { kind: 'render'; source: TemplateSource; params: string }
  | { kind: 'text'; html: string };

/** What the job of each kind gives; `compile` gives the names of the params. */
interface Results {
  compile: string[];
  render: Rendering;
  text: string;
}
export type ResultOf<J extends RenderJob> = Results[J['kind']];

export interface Rendering {
  /** Emails only. */
  subject: string | null;
  body: string;
  /** The dotted names that were read and not there, sorted, each once. */
  missingParams: string[];
  /** In the order of the output, the subject first; at most `MAX_WARNINGS`. */
  warnings: Warning[];
}

/** A value that was replaced or left out. Each place of the source is named once for each parameter that it wrote. */
export interface Warning {
  /** As in `missingParams`; nothing for a value that is not of a parameter. */
  path: string | null;
  field: 'subject' | 'body';
  /** Of the source of that field, from 1; columns in UTF-16 units. */
  line: number;
  column: number;
  reason: string;
}

/** What the source or the params are refused with, as it passes between processes. */
export interface Refusal {
  code: ErrorCode;
  /** Where in the source, or `params`; the service puts before it how its caller named the source. */
  field: 'subject' | 'body' | 'params' | null;
  message: string;
}

/** Thrown by all that compiles and renders. */
export class RenderingRefused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}

/** What a child process answers to a job. A fault is one of ours: its stack, for the log. */
export type Answer = { result: unknown } | { refusal: Refusal } | { fault: string };
