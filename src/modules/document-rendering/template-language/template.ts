import type { TemplateSource } from '../rendering/render-job.js';

/** A template that was checked and compiled. Rendering it twice with the same params gives the same. */
export interface CompiledTemplate {
  /** The dotted names that it reads, sorted, each once. */
  readonly params: string[];
  /** Whether rendering it in the server's own process is provably small; see ARCHITECTURE.md. */
  isSmallWith(params: object): boolean;
  /** @throws RenderingRefused when the output is too large */
  render(params: object): { subject: string | null; body: string; missingParams: string[] };
}

/** @throws RenderingRefused with line, column, the construct and what to use instead */
export function compileTemplate(_source: TemplateSource): CompiledTemplate {
  throw new Error('not yet');
}
