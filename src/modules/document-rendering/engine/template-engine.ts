// Room: Runs a rendering in this process or in a render process.
import { Injectable } from '@nestjs/common';
import type { AnswerBudget } from '../../../common/scheduling/operation-budget.js';
import { eventLoop } from '../../../common/scheduling/event-loop.js';
import { AppError, quoted } from '../../../common/base/app-error.js';
import { SpanKind, type SpanOptions, traced } from '../../../common/tracing/spans.js';
import { NOBODY, type Reader } from '../template-language/filters/reader.js';
import type { Rendering } from '../template-language/result/rendering.js';
import { RenderingRefused } from '../template-language/result/refusal.js';
import {
  type CompiledTemplate,
  compileSmallTemplate,
  type TemplateNames,
  type TemplateSource,
} from '../template-language/template.js';
import { parseParams } from '../rendering/params.js';
import { TooMuchWork } from '../template-language/result/work-units.js';
import { RenderPool } from './render-pool.js';
import { insertStyle } from '../rendering/stylesheet.js';

/** Maximum length of params parsed in the server process; longer ones go to a render process. */
const SMALL_PARAMS = 256 * 1024;
/** Maximum work of a rendering in the server process: a few milliseconds. */
export const SMALL_WORK = 256 * 1024;

const INTERNAL: SpanOptions = { kind: SpanKind.INTERNAL };

/** Input fields of source and params, for error messages. */
export interface Fields {
  source: string;
  params: string;
  /** Name of the failing template or translation, such as `the template "a"`, if the caller changes one of its parts. */
  user?: string | undefined;
  /** Requesting operation. The work stops with it. */
  asking?: AnswerBudget | undefined;
}

/** Params of a rendering, with locale and time zone. */
interface Given {
  /** JSON object as text. */
  params: string;
  reader?: Reader;
}

/**
 * Compiles and renders in this process if that is little work. A rendering that exceeds the limit is aborted, and repeated in a
 * render process, which can be killed.
 */
@Injectable()
export class TemplateEngine {
  /** Templates compiled in this process; null for those too large for it. */
  private readonly compiled = new WeakMap<TemplateSource, CompiledTemplate | null>();

  constructor(private readonly pool: RenderPool) {}

  /**
   * Returns the names in a template. `user` names the failing template if the caller changes one of its parts.
   * @throws BAD_USER_INPUT with line and column for an invalid template
   */
  async check(tenantId: string, source: TemplateSource, field: string, user?: string): Promise<TemplateNames> {
    return withFieldNames({ source: field, params: '', user }, async () => {
      const template = this.compiledHere(source);
      return template ? template.names : this.pool.run(tenantId, { kind: 'compile', source });
    });
  }

  /** Renders a template. Compiles each source object once. */
  async render(tenantId: string, source: TemplateSource, { params, reader = NOBODY }: Given, fields: Fields): Promise<Rendering> {
    const render = async () => {
      const isWaitedFor = !eventLoop.turnUsed || (await this.yieldToOthers(tenantId, fields.asking));
      const rendered = isWaitedFor ? eventLoop.timed(() => this.renderedHere(source, params, reader)) : undefined;
      return rendered ?? this.pool.run(tenantId, { kind: 'render', source, params, reader }, fields.asking);
    };
    return traced('render', INTERNAL, () => withFieldNames(fields, render));
  }

  text(tenantId: string, html: string, fields: Fields): Promise<string> {
    return withFieldNames(fields, () => this.pool.run(tenantId, { kind: 'text', html }, fields.asking));
  }

  /** Yields to other work, since one operation can request a hundred renderings. Returns false if the operation is over by then. */
  private async yieldToOthers(tenantId: string, asking: AnswerBudget | undefined): Promise<boolean> {
    let isOver = false;
    const forget = asking?.onOver(() => (isOver = true));
    while (eventLoop.turnUsed && !isOver) await eventLoop.yield(tenantId);
    forget?.();
    return !isOver;
  }

  private renderedHere(source: TemplateSource, params: string, reader: Reader): Rendering | undefined {
    const isInlined = source.type === 'email' && source.css.length > 0;
    if (isInlined || params.length > SMALL_PARAMS) return undefined;
    const template = this.compiledHere(source);
    if (!template) return undefined;
    const rendered = unlessTooMuchWork(() => template.render(parseParams(params), { units: SMALL_WORK, reader }));
    if (!rendered) return undefined;
    return source.css.length > 0 ? { ...rendered, body: insertStyle(rendered.body, source.css) } : rendered;
  }

  /** Returns the compiled template, or undefined if compilation could be expensive. */
  private compiledHere(source: TemplateSource): CompiledTemplate | undefined {
    const known = this.compiled.get(source);
    if (known !== undefined) return known ?? undefined;
    const template = compileSmallTemplate(source);
    this.compiled.set(source, template ?? null);
    return template;
  }
}

function unlessTooMuchWork<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    throw error;
  }
}

/** Converts a RenderingRefused to an error with the caller's field. */
async function withFieldNames<T>(fields: Fields, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RenderingRefused)) throw error;
    const { code, field, part, message } = error.refusal;
    const { source, params, user } = fields;
    const where = field === 'params' ? params : field && user === undefined ? `${source}.${field}` : source;
    const broken = user === undefined ? '' : `${user} could no longer be rendered: `;
    const text = part ? `${part.kind} "${quoted(part.name)}", ` : '';
    throw new AppError(code, `${where}: ${broken}${text}${message}`, {
      field: code === 'BAD_USER_INPUT' ? where : undefined,
      cause: error,
    });
  }
}
