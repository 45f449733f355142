import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import type { TenantReader } from '../../../common/database/tenant-database.js';
import { AppError, badInput, quoted } from '../../../common/base/app-error.js';
import { ParentTenants } from '../../../common/tenants/parent-tenants.js';
import { composedTooLong, MAX_COMPOSED, MAX_LEVELS } from '../template-language/compiler/composition.js';
import type { TemplateSource } from '../template-language/template.js';
import { MAX_INCLUDED } from '../models/limits.js';
import { includedIn, type OwnTexts, type Parts, sourceOf } from './template-parts.js';
import {
  lengthOfPartials,
  type PartialTextRow,
  partialsNamed,
  type TextsRow,
  textsOf,
  type TranslationText,
  translationsOf,
} from './template-parts.queries.js';

/** Unsaved parts, used in place of the stored ones. */
export interface Unsaved {
  partials?: readonly PartialTextRow[];
  /** Template, possibly a layout of others, with all translations. */
  template?: { texts: TextsRow; translations: readonly TranslationText[] };
}

interface Wanted {
  unsaved?: Unsaved | undefined;
  /** Languages whose texts are loaded; for others only the tags. */
  languages: readonly string[] | 'all';
}

/** Rows in which parts are searched, in this order. */
export type Readers = readonly TenantReader[];

/** Loads the layouts, translations and partials that templates are composed of. */
@Injectable()
export class ComposerService {
  constructor(
    private readonly database: Database,
    private readonly parents: ParentTenants,
  ) {}

  /** Returns where the parts of a tenant's own templates come from: its own rows first, then those of its parent. */
  readers(tenantId: string): Readers {
    const [own, parent] = [this.database.of(tenantId), this.parents.of(tenantId)];
    return parent ? [own, parent] : [own];
  }

  /** Returns the error for a stylesheet that is not the tenant's own. Layouts of a parent bring its stylesheets. */
  async unknownSheet(tenantId: string, id: string, fieldPrefix: string): Promise<AppError> {
    const isInherited = await this.parents.of(tenantId)?.css.count({ where: { id } });
    if (!isInherited) return unknownParent(id, fieldPrefix);
    const field = `${fieldPrefix}.parentCssId`;
    const instead = 'create a stylesheet of your own, or use a layout of the parent that has it';
    return new AppError('FAILED_PRECONDITION', `${field}: Css ${quoted(id)} is of the parent tenant; ${instead}`, { field });
  }

  /**
   * Returns the parts of templates, in a few queries for all.
   * @throws NOT_FOUND or BAD_USER_INPUT, below `field`, for an unknown or unsuitable layout
   */
  async load(
    readers: Readers,
    templates: readonly OwnTexts[],
    field: string,
    { unsaved = {}, languages }: Wanted,
  ): Promise<Parts[]> {
    const layouts = await this.layouts(readers, templates, unsaved.template?.texts);
    const chains = templates.map((template) => chainOf(template, layouts, field));
    const ids = new Set([...templates, ...chains.flat()].flatMap(({ id }) => id ?? []));
    const translations = await this.translations(readers, [...ids], languages, unsaved);
    const bodies = [...templates, ...chains.flat(), ...translations].flatMap(({ body }) => body ?? []);
    const found = await this.partials(readers, bodies, field, unsaved.partials);
    const partials = [...found.values()];
    return templates.map((template, index) => {
      const chain = chains[index]!;
      const own = new Set([template, ...chain].map(({ id }) => id));
      return { template, layouts: chain, partials, translations: translations.filter(({ templateId }) => own.has(templateId)) };
    });
  }

  /** Loads the parts of stored templates in all languages, in batches. @throws the errors of `load` */
  async *stored(readers: Readers, ids: readonly string[], field: string, unsaved?: Unsaved): AsyncGenerator<Parts> {
    for (let from = 0; from < ids.length; from += LOADED_AT_ONCE) {
      const rows = await textsOf(readers[0]!, ids.slice(from, from + LOADED_AT_ONCE));
      yield* await this.load(readers, rows, field, { unsaved, languages: 'all' });
    }
  }

  /** Returns the source of a single partial. */
  async composePartial(readers: Readers, { name, contentType, body }: PartialTextRow, field: string): Promise<TemplateSource> {
    const found = await this.partials(readers, [body], field, [{ name, contentType, body }]);
    const template = { ...ALONE, contentType, body };
    return { ...sourceOf({ template, layouts: [], translations: [], partials: [...found.values()] }), partial: name };
  }

  private async layouts(readers: Readers, templates: readonly OwnTexts[], unsaved?: TextsRow): Promise<Map<string, TextsRow>> {
    const found = new Map(unsaved && [[unsaved.id, unsaved]]);
    const asked = new Set(found.keys());
    let next: readonly OwnTexts[] = [...templates, ...found.values()];
    for (let level = 0; level <= MAX_LEVELS && next.length > 0; level++) {
      const ids = new Set(next.flatMap(({ layoutId }) => (layoutId === null || asked.has(layoutId) ? [] : layoutId)));
      for (const id of ids) asked.add(id);
      const rows = await Promise.all(readers.map((rowsOf) => textsOf(rowsOf, [...ids])));
      for (const row of rows.flat()) found.set(row.id, row);
      next = rows.flat();
    }
    return found;
  }

  private async translations(
    readers: Readers,
    ids: readonly string[],
    languages: Wanted['languages'],
    { template }: Unsaved,
  ): Promise<TranslationText[]> {
    const stored = ids.filter((id) => id !== template?.texts.id);
    const unsaved = template && stored.length < ids.length ? template.translations : [];
    const found = await Promise.all(readers.map((rowsOf) => translationsOf(rowsOf, stored, languages)));
    return [...unsaved, ...found.flat()];
  }

  private async partials(
    readers: Readers,
    bodies: readonly string[],
    field: string,
    unsaved: readonly PartialTextRow[] = [],
  ): Promise<Map<string, PartialTextRow>> {
    const found = new Map(unsaved.map((partial) => [partial.name, partial]));
    const asked = new Set(found.keys());
    let next = [...bodies, ...unsaved.map(({ body }) => body)];
    let length = 0;
    for (let level = 0; level <= MAX_LEVELS && next.length > 0; level++) {
      const names = [...new Set(next.flatMap((body) => [...boundedNamesIn(body, field)]))].filter((name) => !asked.has(name));
      for (const name of names) asked.add(name);
      next = [];
      for (const rowsOf of readers) {
        const missing = names.filter((name) => !found.has(name));
        length += await lengthOfPartials(rowsOf, missing);
        if (length > MAX_COMPOSED * bodies.length) throw new AppError('PAYLOAD_TOO_LARGE', `${field}.body: ${composedTooLong}`);
        const rows = await partialsNamed(rowsOf, missing);
        for (const row of rows) found.set(row.name, row);
        next.push(...rows.map(({ body }) => body));
      }
    }
    return found;
  }
}

/** Batch size of loaded templates. */
const LOADED_AT_ONCE = 20;
const ALONE = { id: null, type: 'document', subject: null, css: null, parentText: null, layoutId: null, locale: null } as const;

function boundedNamesIn(body: string, field: string): Set<string> {
  const names = includedIn(body);
  if (names.size > MAX_INCLUDED) throw badInput(`${field}.body`, `must include at most ${MAX_INCLUDED} partials`);
  return names;
}

/** Returns the layouts of a template, innermost first. Includes one above the limit, which Composition refuses. */
function chainOf({ type, contentType, layoutId }: OwnTexts, layouts: ReadonlyMap<string, TextsRow>, field: string): TextsRow[] {
  const chain: TextsRow[] = [];
  for (let id = layoutId; id !== null && chain.length <= MAX_LEVELS; id = chain.at(-1)!.layoutId) {
    const layout = layouts.get(id);
    if (!layout) throw unknownLayout(id, field);
    if (chain.includes(layout))
      throw badInput(`${field}.layoutId`, `makes the template "${quoted(layout.name)}" its own layout; choose another one`);
    if (layout.type !== type || layout.contentType !== contentType) {
      const wrong = `of type ${layout.type} and contentType ${layout.contentType}`;
      throw badInput(
        `${field}.layoutId`,
        `must be of type ${type} and contentType ${contentType}; "${quoted(layout.name)}" is ${wrong}`,
      );
    }
    chain.push(layout);
  }
  return chain;
}

export function unknownParent(id: string, fieldPrefix: string): AppError {
  const field = `${fieldPrefix}.parentCssId`;
  return new AppError('NOT_FOUND', `${field}: Css ${quoted(id)} does not exist`, { field });
}

export function unknownLayout(id: string, fieldPrefix: string): AppError {
  const field = `${fieldPrefix}.layoutId`;
  return new AppError('NOT_FOUND', `${field}: Template ${quoted(id)} does not exist`, { field });
}
