import type { Reader } from '../template-language/filters/reader.js';
import type { Refusal } from '../template-language/result/refusal.js';
import type { Rendering } from '../template-language/result/rendering.js';
import type { TemplateNames, TemplateSource } from '../template-language/template.js';

/** A job for a child process. All of its members can be serialised. */
export type RenderJob =
  | { kind: 'compile'; source: TemplateSource }
  | { kind: 'render'; source: TemplateSource; params: string; reader: Reader }
  | { kind: 'text'; html: string };

/** The result of each kind of job. */
interface Results {
  compile: TemplateNames;
  render: Rendering;
  text: string;
}
export type ResultOf<J extends RenderJob> = Results[J['kind']];

/** A child's reply to a job. A fault is a bug of this project; it contains the stack, for the log. */
export type Answer = { result: unknown } | { refusal: Refusal } | { fault: string };
