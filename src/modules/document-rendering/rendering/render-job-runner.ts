import { LRUCache } from 'lru-cache';
import { compileTemplate, type CompiledTemplate } from '../template-language/template.js';
import { parseParams } from './params.js';
import { plainTextOf } from './plain-text.js';
import { RenderingRefused, type RenderJob, type Rendering, type TemplateSource } from './render-job.js';
import { inlineStyles, insertStyle } from './stylesheet.js';

const MIB = 1024 * 1024;
const MAX_OUTPUT_BYTES = 10 * MIB;
const MAX_CACHED_CHARACTERS = 16 * MIB;

/** By all of the source that the language sees; stylesheets do not reach it. */
const templates = new LRUCache<string, CompiledTemplate>({
  maxSize: MAX_CACHED_CHARACTERS,
  sizeCalculation: (_template, key) => key.length,
});

/**
 * Does a job, in a process that can be killed: it may take any time and memory.
 * @throws RenderingRefused when the source, the params or the output break a rule
 */
export function runJob(job: RenderJob): unknown {
  switch (job.kind) {
    case 'compile':
      return compiled(job.source).params;
    case 'render':
      return render(job.source, job.params);
    case 'text':
      return bounded(plainTextOf(job.html));
  }
}

/** What is compiled takes a multiple of its source, and must not take the memory of the next job. */
export function forgetTemplates(): void {
  templates.clear();
}

function compiled(source: TemplateSource): CompiledTemplate {
  const key = JSON.stringify([source.type, source.contentType, source.subject, source.body]);
  const known = templates.get(key);
  if (known) return known;
  const template = compileTemplate(source);
  templates.set(key, template);
  return template;
}

function render(source: TemplateSource, params: string): Rendering {
  const { subject, body, missingParams } = compiled(source).render(parseParams(params));
  const styled = source.contentType === 'html' && source.css.length > 0 ? withStyles(source, body) : body;
  return { subject, body: bounded(styled), missingParams };
}

function withStyles({ type, css }: TemplateSource, body: string): string {
  const html = insertStyle(bounded(body), css);
  return type === 'email' ? inlineStyles(html) : html;
}

function bounded(output: string): string {
  if (Buffer.byteLength(output) <= MAX_OUTPUT_BYTES) return output;
  throw new RenderingRefused({ code: 'PAYLOAD_TOO_LARGE', field: null, message: 'the output is larger than 10 MiB' });
}
