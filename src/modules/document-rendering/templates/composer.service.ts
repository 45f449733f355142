import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { AppError, badInput, quoted } from '../../../common/base/app-error.js';
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

/** Loads the layouts, translations and partials that templates are composed of. */
@Injectable()
export class ComposerService {
  constructor(private readonly database: Database) {}

  /**
   * Returns the parts of templates, in a few queries for all.
   * @throws NOT_FOUND or BAD_USER_INPUT, below `field`, for an unknown or unsuitable layout
   */
  async load(
    tenantId: string,
    templates: readonly OwnTexts[],
    field: string,
    { unsaved = {}, languages }: Wanted,
  ): Promise<Parts[]> {
    const layouts = await this.layouts(tenantId, templates, unsaved.template?.texts);
    const chains = templates.map((template) => chainOf(template, layouts, field));
    const ids = new Set([...templates, ...chains.flat()].flatMap(({ id }) => id ?? []));
    const translations = await this.translations(tenantId, [...ids], languages, unsaved);
    const bodies = [...templates, ...chains.flat(), ...translations].flatMap(({ body }) => body ?? []);
    const found = await this.partials(tenantId, bodies, field, unsaved.partials);
    const partials = [...found.values()];
    return templates.map((template, index) => {
      const chain = chains[index]!;
      const own = new Set([template, ...chain].map(({ id }) => id));
      return { template, layouts: chain, partials, translations: translations.filter(({ templateId }) => own.has(templateId)) };
    });
  }

  /** Loads the parts of stored templates in all languages, in batches. @throws the errors of `load` */
  async *stored(tenantId: string, ids: readonly string[], field: string, unsaved?: Unsaved): AsyncGenerator<Parts> {
    for (let from = 0; from < ids.length; from += LOADED_AT_ONCE) {
      const rows = await textsOf(this.database, tenantId, ids.slice(from, from + LOADED_AT_ONCE));
      yield* await this.load(tenantId, rows, field, { unsaved, languages: 'all' });
    }
  }

  /** Returns the source of a single partial. */
  async composePartial(tenantId: string, { name, contentType, body }: PartialTextRow, field: string): Promise<TemplateSource> {
    const found = await this.partials(tenantId, [body], field, [{ name, contentType, body }]);
    const template = { ...ALONE, contentType, body };
    return { ...sourceOf({ template, layouts: [], translations: [], partials: [...found.values()] }), partial: name };
  }

  private async layouts(tenantId: string, templates: readonly OwnTexts[], unsaved?: TextsRow): Promise<Map<string, TextsRow>> {
    const found = new Map(unsaved && [[unsaved.id, unsaved]]);
    const asked = new Set(found.keys());
    let next: readonly OwnTexts[] = [...templates, ...found.values()];
    for (let level = 0; level <= MAX_LEVELS && next.length > 0; level++) {
      const ids = new Set(next.flatMap(({ layoutId }) => (layoutId === null || asked.has(layoutId) ? [] : layoutId)));
      for (const id of ids) asked.add(id);
      const rows = await textsOf(this.database, tenantId, [...ids]);
      for (const row of rows) found.set(row.id, row);
      next = rows;
    }
    return found;
  }

  private async translations(
    tenantId: string,
    ids: readonly string[],
    languages: Wanted['languages'],
    { template }: Unsaved,
  ): Promise<TranslationText[]> {
    const stored = ids.filter((id) => id !== template?.texts.id);
    const unsaved = template && stored.length < ids.length ? template.translations : [];
    return [...unsaved, ...(await translationsOf(this.database, tenantId, stored, languages))];
  }

  private async partials(
    tenantId: string,
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
      length += await lengthOfPartials(this.database, tenantId, names);
      if (length > MAX_COMPOSED * bodies.length) throw new AppError('PAYLOAD_TOO_LARGE', `${field}.body: ${composedTooLong}`);
      const rows = await partialsNamed(this.database, tenantId, names);
      for (const row of rows) found.set(row.name, row);
      next = rows.map(({ body }) => body);
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

export function unknownLayout(id: string, fieldPrefix: string): AppError {
  const field = `${fieldPrefix}.layoutId`;
  return new AppError('NOT_FOUND', `${field}: Template ${quoted(id)} does not exist`, { field });
}
