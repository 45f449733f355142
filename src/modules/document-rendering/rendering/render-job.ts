import type { Reader } from '../template-language/filters/reader.js';
import type { Refusal } from '../template-language/result/refusal.js';
import type { Rendering } from '../template-language/result/rendering.js';
import type { TemplateNames, TemplateSource } from '../template-language/template.js';

/** Job for a render process. All members are serializable. */
export type RenderJob =
  | { kind: 'compile'; source: TemplateSource }
  | { kind: 'render'; source: TemplateSource; params: string; reader: Reader }
  | { kind: 'text'; html: string };

/** Result by kind of job. */
interface Results {
  compile: TemplateNames;
  render: Rendering;
  text: string;
}
export type ResultOf<J extends RenderJob> = Results[J['kind']];

/** Answer of a render process. A fault is a bug of this project, with its stack for the log. */
export type Answer = { result: unknown } | { refusal: Refusal } | { fault: string };
