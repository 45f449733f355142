import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Batcher } from '../../common/batching/batcher.js';
import { Batchers } from '../../common/batching/batchers.js';
import type { Caller } from '../../common/auth/caller.js';
import type { AnswerBudget } from '../../common/bounds/answer-budget.js';
import { Database } from '../../common/database/database.js';
import { badInput, notFound, quoted } from '../../common/errors/app-error.js';
import { checkInput, checkText, MAX_NAME } from '../../common/validation/text.js';
import type { PreviewInput, RenderingInput } from './inputs/rendering.inputs.js';
import { previewTemplateRules } from './inputs/template.rules.js';
import type { RenderingResult, RenderingWarning, TemplateField } from './models/rendering.model.js';
import type { PartialTextRow } from './parts/parts.queries.js';
import type { Warning } from './template-language/result/rendering.js';
import type { ContentType } from './models/template.model.js';
import { checkComplete } from './rendering/complete.js';
import type { TemplateSource } from './template-language/template.js';
import { type Fields, TemplateEngine } from './engine/template-engine.js';
import { previewPartialsRules } from './inputs/partial.rules.js';
import { ComposerService, type OwnTexts } from './parts/composer.service.js';
import { NO_STATE, stateAfter, unknownParent } from './templates/template-state.js';
import { renderable, type RenderableName, type RenderableVersion, renderableVersions } from './templates/templates.queries.js';
import { readerOf } from './inputs/reader.rules.js';
import { MAX_PARAMS } from './models/limits.js';

/** The total length of cached sources, in UTF-16 units. */
const MAX_CACHED = 16 * 1024 * 1024;
const MAX_BATCH = 64;
/** How many queries run at a time. */
const MAX_LOADS = 8;
/** The size that a cache entry counts in addition to its texts. */
const ENTRY_SIZE = 1_000;

/** A rendered mail, with an html or a plain body. */
export interface RenderedEmail {
  subject: string;
  html: string | null;
  text: string | null;
}

/** Renders templates. A change of a template or of its parent stylesheet takes effect with the next rendering, on every node. */
@Injectable()
export class RenderingService {
  /** The cache of sources. The key contains the version, which is read from the database each time, so no entry is ever stale. */
  private readonly sources = new LRUCache<string, TemplateSource>({
    maxSize: MAX_CACHED,
    sizeCalculation: sizeOf,
  });

  /**
   * Loads all versions requested in one turn of the event loop with one query, at the end of this turn. So a changed template
   * shows at once on every node, and no node has to invalidate the cache of another.
   */
  private readonly versions: Batcher<RenderableName, RenderableVersion | undefined>;

  constructor(
    private readonly database: Database,
    private readonly engine: TemplateEngine,
    private readonly composer: ComposerService,
    batchers: Batchers,
  ) {
    const load = (names: RenderableName[]) => renderableVersions(this.database, names);
    this.versions = batchers.create('templates', load, { maxLength: MAX_BATCH, concurrency: MAX_LOADS });
  }

  /**
   * Renders a stored template.
   * @throws NOT_FOUND; any refusal of the template or the params; BAD_USER_INPUT if `strict` is set and the rendering is
   * incomplete
   */
  async render(caller: Caller, input: RenderingInput): Promise<RenderingResult> {
    checkText('input.params', input.params, { max: MAX_PARAMS });
    const source = await this.source(caller, input.templateName, 'input.templateName');
    return this.rendered(caller, source, input, { source: 'input.templateName', params: 'input.params' });
  }

  /** Renders an email from a template. @throws BAD_USER_INPUT for a document template; the errors of `render` */
  async renderEmail(caller: Caller, input: RenderingInput): Promise<RenderedEmail> {
    checkText('input.params', input.params, { max: MAX_PARAMS });
    const source = await this.source(caller, input.templateName, 'input.templateName');
    if (source.type !== 'email') throw badInput('input.templateName', 'must be a template of type email; this one is a document');
    const names = { source: 'input.templateName', params: 'input.params' };
    const { subject, body } = await this.rendered(caller, source, input, names);
    const isHtml = source.contentType === 'html';
    return { subject: subject ?? '', html: isHtml ? body : null, text: isHtml ? null : body };
  }

  /**
   * Makes the plain-text alternative of an html mail, in a render process. The jobs of a queue run one after another, and stop
   * when the requesting operation is over, if there is one.
   * @throws BAD_USER_INPUT that names the field if the job takes too much time or memory
   */
  textOf(queue: string, html: string, field: string, asking?: AnswerBudget): Promise<string> {
    return this.engine.text(queue, html, { source: field, params: field, asking });
  }

  async preview(caller: Caller, input: PreviewInput): Promise<RenderingResult> {
    checkText('input.params', input.params, { max: MAX_PARAMS });
    const source = await this.unsaved(caller, input);
    return this.rendered(caller, source, input, { source: 'input.template', params: 'input.params' });
  }

  async templateParams(caller: Caller, templateName: string): Promise<string[]> {
    const source = await this.source(caller, templateName, 'templateName');
    const { params } = await this.engine.check(caller.tenantId, source, 'templateName');
    return params;
  }

  private async rendered(
    { tenantId, budget }: Caller,
    source: TemplateSource,
    { params, strict, ...given }: Omit<RenderingInput, 'templateName'>,
    names: Fields,
  ): Promise<RenderingResult> {
    const reader = readerOf(given);
    const fields = { ...names, asking: budget };
    const rendering = await this.engine.render(tenantId, source, { params, reader }, fields);
    if (strict) checkComplete(rendering, fields.params);
    const { body } = rendering;
    const hasText = source.type === 'email' && source.contentType === 'html';
    const makeText = async () => (hasText ? this.engine.text(tenantId, body, fields) : null);
    return {
      ...rendering,
      warnings: rendering.warnings.map(toWarning),
      makeText,
      contentType: source.contentType as ContentType,
    };
  }

  private async unsaved({ tenantId }: Caller, input: PreviewInput): Promise<TemplateSource> {
    const { type, ...change } = checkInput(previewTemplateRules, input.template, 'input.template');
    const unsaved = checkInput(previewPartialsRules, input.partials ?? [], 'input.partials');
    const state = stateAfter(change, { ...NO_STATE, type }, 'input.template');
    const id = state.parentCssId;
    const parent = id === null ? null : await this.database.of(tenantId).css.findUnique({ where: { id } });
    if (id !== null && !parent) throw unknownParent(id, 'input.template');
    const { contentType } = state;
    const partials = unsaved.map((partial) => ({ ...partial, contentType }));
    return this.composed(tenantId, { ...state, parentText: parent?.text ?? null }, 'input.template', partials);
  }

  private async composed(
    tenantId: string,
    texts: OwnTexts,
    field: string,
    partials?: readonly PartialTextRow[],
  ): Promise<TemplateSource> {
    const [source] = await this.composer.compose(tenantId, [texts], field, { partials });
    return source!;
  }

  private async source({ tenantId }: Caller, name: string, field: string): Promise<TemplateSource> {
    checkText(field, name, { max: MAX_NAME });
    const version = await this.versions.add({ tenantId, name });
    const known = version && this.sources.get(keyOf(version));
    if (known) return known;
    const row = version && (await renderable(this.database, tenantId, name));
    if (!row) throw notFound(`Template ${JSON.stringify(quoted(name))}`);
    const source = await this.composed(tenantId, row, field);
    this.sources.set(keyOf(row), source);
    return source;
  }
}

function keyOf({ id, revision, parentCssId, parentRevision }: RenderableVersion): string {
  return `${id} ${revision} ${parentCssId} ${parentRevision}`;
}

function sizeOf({ subject, body, css, layouts, partials }: TemplateSource): number {
  const texts = [subject ?? '', body, ...css, ...[...layouts, ...partials].map((part) => part.body)];
  return texts.reduce((size, text) => size + text.length, ENTRY_SIZE);
}

function toWarning({ part, ...warning }: Warning): RenderingWarning {
  const [partialName, layoutName] = (['partial', 'layout'] as const).map((kind) => (part?.kind === kind ? part.name : null));
  return { ...warning, field: warning.field as TemplateField, partialName: partialName!, layoutName: layoutName! };
}
