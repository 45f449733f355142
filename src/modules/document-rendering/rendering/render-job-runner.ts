import { LRUCache } from 'lru-cache';
import { MAX_OUTPUT, outputTooLarge } from '../template-language/result/refusal.js';
import { type CompiledTemplate, compileTemplate, type TemplateSource } from '../template-language/template.js';
import { inlineStyles } from './inline-styles.js';
import { parseParams } from './params.js';
import { plainTextOf } from './plain-text.js';
import type { RenderJob } from './render-job.js';
import type { Rendering } from '../template-language/result/rendering.js';
import { insertStyle } from './stylesheet.js';

const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;

/** Cache of compiled templates. The key is the source without stylesheets, which are not compiled. */
const templates = new LRUCache<string, CompiledTemplate>({
  maxSize: MAX_CACHED_CHARACTERS,
  sizeCalculation: (_template, key) => key.length,
});

/**
 * Runs a job. Must run in a process that can be killed, since a job can take unlimited time and memory.
 * @throws RenderingRefused if the source, the params or the output break a rule
 */
export function runJob(job: RenderJob): unknown {
  switch (job.kind) {
    case 'compile':
      return compiled(job.source).names;
    case 'render':
      return render(job);
    case 'text':
      return bounded(plainTextOf(job.html).toWellFormed());
  }
}

/** Empties the cache, since compiled templates take several times the memory of their sources. */
export function forgetTemplates(): void {
  templates.clear();
}

function compiled(source: TemplateSource): CompiledTemplate {
  const { css: _css, ...compiledTexts } = source;
  const key = JSON.stringify(compiledTexts);
  const known = templates.get(key);
  if (known) return known;
  const template = compileTemplate(source);
  templates.set(key, template);
  return template;
}

function render({ source, params, reader }: Extract<RenderJob, { kind: 'render' }>): Rendering {
  const { body, ...rendered } = compiled(source).render(parseParams(params), { reader });
  const styled = source.contentType === 'html' && source.css.length > 0 ? withStyles(source, body) : body;
  return { ...rendered, body: bounded(styled) };
}

function withStyles({ type, css }: TemplateSource, body: string): string {
  const html = insertStyle(bounded(body), css);
  return type === 'email' ? inlineStyles(html) : html;
}

function bounded(output: string): string {
  if (Buffer.byteLength(output) <= MAX_OUTPUT) return output;
  throw outputTooLarge();
}
