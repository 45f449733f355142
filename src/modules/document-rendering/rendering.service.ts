import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Batcher } from '../../common/scheduling/batcher.js';
import { Batchers } from '../../common/scheduling/batchers.js';
import type { Caller } from '../../common/auth/caller.js';
import type { AnswerBudget } from '../../common/scheduling/operation-budget.js';
import { eventLoop } from '../../common/scheduling/event-loop.js';
import { Database } from '../../common/database/database.js';
import type { TenantReader } from '../../common/database/tenant-database.js';
import { AppError, badInput, quoted } from '../../common/base/app-error.js';
import { checkInput, checkText, MAX_NAME } from '../../common/base/text.js';
import type { PreviewInput, RenderingInput } from './rendering.inputs.js';
import type { RenderingResult, RenderingWarning, TemplateField } from './models/rendering.model.js';
import type { Warning } from './template-language/result/rendering.js';
import type { ContentType } from './models/template.model.js';
import { checkComplete } from './rendering/strict-rendering.js';
import type { TemplateSource } from './template-language/template.js';
import { type Fields, TemplateEngine } from './engine/template-engine.js';
import { previewPartialsRules, PreviewTemplateInput } from './templates/template.inputs.js';
import { ComposerService, type Readers } from './templates/composer.service.js';
import {
  languageFor,
  type Languages,
  languagesOf,
  lookupChain,
  type Parts,
  sourceOf,
  variantsOf,
} from './templates/template-parts.js';
import { partsRevision } from './templates/template-parts.queries.js';
import { NO_STATE, stateAfter } from './templates/template-state.js';
import {
  type NamedVersion,
  renderable,
  type RenderableName,
  type RenderableVersion,
  renderableVersions,
} from './templates/templates.queries.js';
import { readerOf } from './rendering/locales.js';
import { DEFAULT_LOCALE, MAX_PARAMS } from './models/limits.js';
import { TemplateVersionsService, unknownVersion } from './templates/template-versions.service.js';

/** Size of the source cache, in UTF-16 units. */
const MAX_CACHED = 16 * 1024 * 1024;
const MAX_BATCH = 64;
/** Number of concurrent queries. */
const MAX_LOADS = 8;
/** Fixed overhead of a cache entry, added to the length of its texts. */
const ENTRY_SIZE = 1_000;

/** Rendered email with an html or plain body. */
export interface RenderedEmail {
  subject: string;
  html: string | null;
  text: string | null;
}

/** Renders templates. A change of a template or its stylesheet takes effect with the next rendering, on every node. */
@Injectable()
export class RenderingService {
  /** Source cache. Keys contain the revision, which is read from the database each time, so entries are never stale. */
  private readonly sources = new LRUCache<string, CachedSource>({
    maxSize: MAX_CACHED,
    sizeCalculation: sizeOf,
  });

  /**
   * Loads all versions requested in one turn of the event loop with one query. A changed template thus shows at once on every node,
   * without cache invalidation between nodes.
   */
  private readonly versions: Batcher<RenderableName, NamedVersion | undefined>;

  constructor(
    private readonly database: Database,
    private readonly engine: TemplateEngine,
    private readonly composer: ComposerService,
    private readonly templateVersions: TemplateVersionsService,
    batchers: Batchers,
  ) {
    const load = (names: RenderableName[]) => renderableVersions(this.database, names);
    this.versions = batchers.create('templates', load, { maxLength: MAX_BATCH, concurrency: MAX_LOADS });
  }

  /**
   * Renders a saved template.
   * @throws NOT_FOUND; any refusal of the template or the params; BAD_USER_INPUT for an incomplete rendering if `strict` is set
   */
  async render(caller: Caller, input: RenderingInput, fields: WantedFields = IN_RENDERING): Promise<RenderingResult> {
    checkText('input.params', input.params, { max: MAX_PARAMS });
    const source = await this.source(caller, input, fields);
    return this.rendered(caller, source, input, { source: fields.name, params: 'input.params' });
  }

  /** Renders an email template. @throws BAD_USER_INPUT for a document template; the errors of `render` */
  async renderEmail(caller: Caller, input: RenderingInput): Promise<RenderedEmail> {
    checkText('input.params', input.params, { max: MAX_PARAMS });
    const source = await this.source(caller, input, IN_EMAIL);
    if (source.type !== 'email') throw badInput('input.templateName', 'must be a template of type email; this one is a document');
    const names = { source: 'input.templateName', params: 'input.params' };
    const { subject, body } = await this.rendered(caller, source, input, names);
    const isHtml = source.contentType === 'html';
    return { subject: subject ?? '', html: isHtml ? body : null, text: isHtml ? null : body };
  }

  /**
   * Converts an html email to plain text, in a render process. Jobs of one queue run one after another, and stop with the
   * requesting operation.
   * @throws BAD_USER_INPUT with the name of the field if the job exceeds its time or memory
   */
  textOf(queue: string, html: string, field: string, asking?: AnswerBudget): Promise<string> {
    return this.engine.text(queue, html, { source: field, params: field, asking });
  }

  async preview(caller: Caller, input: PreviewInput): Promise<RenderingResult> {
    checkText('input.params', input.params, { max: MAX_PARAMS });
    const source = await this.unsaved(caller, input);
    return this.rendered(caller, source, input, { source: 'input.template', params: 'input.params' });
  }

  /** Returns the names that a template reads in any of its languages. @throws NOT_FOUND */
  async templateParams({ tenantId, budget }: Caller, templateName: string): Promise<string[]> {
    checkText('templateName', templateName, { max: MAX_NAME });
    const readers = this.composer.readers(tenantId);
    const [own, parent] = readers;
    const ownRow = await renderable(own!, templateName);
    const row = ownRow ?? (parent && (await renderable(parent, templateName)));
    if (!row) throw unknownTemplate(templateName, 'templateName');
    const [parts] = await this.composer.load(ownRow ? readers : [parent!], [row], 'templateName', { languages: 'all' });
    const names = new Set<string>();
    let isOver = false;
    const forget = budget?.onOver(() => (isOver = true));
    for (const { source } of variantsOf(parts!)) {
      if (eventLoop.sliceUsed) await eventLoop.yield(tenantId);
      if (isOver) break;
      const { params } = await this.engine.check(tenantId, source, 'templateName');
      for (const name of params) names.add(name);
    }
    forget?.();
    return [...names].sort();
  }

  private async rendered(
    { tenantId, budget }: Caller,
    source: TemplateSource,
    input: Omit<RenderingInput, 'templateName'>,
    names: Fields,
  ): Promise<RenderingResult> {
    const { params, strict } = input;
    const asked = readerOf(input);
    const language = source.locale ?? asked.locale;
    const reader = { ...asked, locale: asked.locale ?? source.locale ?? undefined, language };
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
      language,
      locale: source.locale ?? DEFAULT_LOCALE,
      contentType: source.contentType as ContentType,
    };
  }

  /** Composes an unsaved template. */
  private async unsaved({ tenantId }: Caller, input: PreviewInput): Promise<TemplateSource> {
    const { type, ...change } = checkInput(PreviewTemplateInput.rules, input.template, 'input.template');
    const unsaved = checkInput(previewPartialsRules, input.partials ?? [], 'input.partials');
    const state = stateAfter(change, { ...NO_STATE, type }, 'input.template');
    const id = state.parentCssId;
    const parent = id === null ? null : await this.database.of(tenantId).css.findUnique({ where: { id } });
    if (id !== null && !parent) throw await this.composer.unknownSheet(tenantId, id, 'input.template');
    const { contentType } = state;
    const partials = unsaved.map((partial) => ({ ...partial, contentType }));
    const texts = { ...state, id: null, parentText: parent?.text ?? null };
    const asked = readerOf(input).locale ?? state.locale ?? undefined;
    const languages = asked === undefined ? [] : lookupChain(asked);
    const [parts] = await this.composer.load(this.composer.readers(tenantId), [texts], 'input.template', {
      unsaved: { partials },
      languages,
    });
    return sourceOf(parts!, languageFor(languagesOf(parts!), asked));
  }

  private async source({ tenantId }: Caller, wanted: Wanted, fields: WantedFields): Promise<TemplateSource> {
    const { templateName: name, version } = wanted;
    checkText(fields.name, name, { max: MAX_NAME });
    const asked = readerOf(wanted).locale;
    const readers = this.composer.readers(tenantId);
    const [own, parent] = readers;
    const known = await this.versions.add({ tenantId, parentId: parent?.tenantId, name });
    if (!known) throw unknownTemplate(name, fields.name);
    // An inherited template is composed of its owner's parts alone: its owner checked these, and all children share one source.
    const isOwn = known.tenantId === tenantId;
    const reader = isOwn ? own! : parent!;
    if (typeof version === 'number') return this.pinned(reader, known, { version, field: fields.version! }, asked);
    const parts = isOwn && parent ? await revisionsOf(readers) : '';
    return this.cached(keyOf(known) + parts, asked, async (languages) => {
      const row = await renderable(reader, name);
      if (!row) throw unknownTemplate(name, fields.name);
      const [loaded] = await this.composer.load(isOwn ? readers : [reader], [row], fields.name, { languages });
      return { key: keyOf(row) + parts, parts: loaded! };
    });
  }

  /** Returns the source of a version, which is immutable. */
  private async pinned(
    reader: TenantReader,
    { id }: RenderableVersion,
    { version, field }: { version: number; field: string },
    asked: string | undefined,
  ): Promise<TemplateSource> {
    if (!(await this.templateVersions.has(reader, id, version, field))) throw unknownVersion(version, field);
    const key = `${id} version ${version}`;
    return this.cached(key, asked, async () => {
      const { type } = await reader.template.findUniqueOrThrow({ where: { id }, select: { type: true } });
      return { key, parts: await this.templateVersions.parts(reader, { id, type }, version, field) };
    });
  }

  /** Returns a source in a language. Caches the template's own texts, and one entry per language with texts of its own. */
  private async cached(
    key: string,
    asked: string | undefined,
    load: (languages: readonly string[]) => Promise<{ key: string; parts: Parts }>,
  ): Promise<TemplateSource> {
    const own = this.sources.get(key) ?? this.cache(await load([]), undefined);
    const language = languageFor(own.languages, asked ?? own.source.locale ?? undefined);
    if (language === undefined) return own.source;
    const known = this.sources.get(`${key} ${language}`);
    return (known ?? this.cache(await load(lookupChain(language)), language)).source;
  }

  /** Caches a source under the key of the loaded revision, which can be newer than the requested one. */
  private cache({ key, parts }: { key: string; parts: Parts }, language: string | undefined): CachedSource {
    const entry = { source: sourceOf(parts, language), languages: languagesOf(parts) };
    this.sources.set(language === undefined ? key : `${key} ${language}`, entry);
    return entry;
  }
}

/** Template in one of its languages, with the list of all its languages. */
interface CachedSource {
  source: TemplateSource;
  languages: Languages;
}

type Wanted = Pick<RenderingInput, 'templateName' | 'version' | 'locale' | 'timeZone'>;

/** Input fields of template and version, for error messages. */
interface WantedFields {
  name: string;
  version?: string;
}

const IN_RENDERING = { name: 'input.templateName', version: 'input.version' };
const IN_EMAIL = { name: 'input.templateName', version: 'input.templateVersion' };

const unknownTemplate = (name: string, field: string) =>
  new AppError('NOT_FOUND', `${field}: Template ${JSON.stringify(quoted(name))} does not exist`, { field });

function keyOf({ id, revision, parentCssId, parentRevision }: RenderableVersion): string {
  return `${id} ${revision} ${parentCssId} ${parentRevision}`;
}

/** Returns the revisions of the parts of a child and of its parent. A parent cannot renew the templates of its children. */
async function revisionsOf(readers: Readers): Promise<string> {
  return ` ${(await Promise.all(readers.map(partsRevision))).join(' ')}`;
}

function sizeOf({ source: { subject, body, css, layouts, partials } }: CachedSource): number {
  const texts = [subject ?? '', body, ...css, ...[...layouts, ...partials].map((part) => part.body)];
  return texts.reduce((size, text) => size + text.length, ENTRY_SIZE);
}

function toWarning({ part, ...warning }: Warning): RenderingWarning {
  const [partialName, layoutName] = (['partial', 'layout'] as const).map((kind) => (part?.kind === kind ? part.name : null));
  return { ...warning, field: warning.field as TemplateField, partialName: partialName!, layoutName: layoutName! };
}
