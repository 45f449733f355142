import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { AppError, badInput, quoted } from '../../../common/errors/app-error.js';
import { composedTooLong, MAX_COMPOSED, MAX_LEVELS } from '../template-language/compiler/composition.js';
import type { TemplateSource } from '../template-language/template.js';
import { MAX_INCLUDED } from '../models/limits.js';
import { lengthOfPartials, type PartialTextRow, partialsNamed, type TextsRow, textsOf } from './parts.queries.js';

/** The texts of a template before it is composed. */
export type OwnTexts = Omit<TextsRow, 'id' | 'name'>;

/** Parts that are used in place of those that are stored. */
export interface Unsaved {
  partials?: readonly PartialTextRow[];
  layout?: TextsRow;
}

/** Loads the layouts and partials of which templates are made. */
@Injectable()
export class ComposerService {
  constructor(private readonly database: Database) {}

  /**
   * Returns the sources of templates, each with its layouts and partials, in a few queries for all of them.
   * @throws NOT_FOUND or BAD_USER_INPUT, below `field`, for a layout that is unknown or does not fit
   */
  async compose(
    tenantId: string,
    templates: readonly OwnTexts[],
    field: string,
    unsaved: Unsaved = {},
  ): Promise<TemplateSource[]> {
    const layouts = await this.layouts(tenantId, templates, unsaved.layout);
    const chains = templates.map((template) => chainOf(template, layouts, field));
    const bodies = chains.flat().map(({ body }) => body);
    const partials = await this.partials(tenantId, [...templates.map(({ body }) => body), ...bodies], field, unsaved.partials);
    return templates.map((template, index) => sourceOf(template, chains[index]!, partials));
  }

  /** Returns the source of a partial by itself. */
  async composePartial(tenantId: string, { name, contentType, body }: PartialTextRow, field: string): Promise<TemplateSource> {
    const partials = await this.partials(tenantId, [body], field, [{ name, contentType, body }]);
    const alone = { type: 'document', contentType, subject: null, body, css: null, parentText: null, layoutId: null } as const;
    return { ...sourceOf(alone, [], partials), partial: name };
  }

  private async layouts(tenantId: string, templates: readonly OwnTexts[], unsaved?: TextsRow): Promise<Map<string, TextsRow>> {
    const found = new Map(unsaved && [[unsaved.id, unsaved]]);
    const asked = new Set(found.keys());
    let next = [...templates, ...found.values()];
    for (let level = 0; level <= MAX_LEVELS && next.length > 0; level++) {
      const ids = new Set(next.flatMap(({ layoutId }) => (layoutId === null || asked.has(layoutId) ? [] : layoutId)));
      for (const id of ids) asked.add(id);
      next = await textsOf(this.database, tenantId, [...ids]);
      for (const row of next as TextsRow[]) found.set(row.id, row);
    }
    return found;
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

const INCLUDE = /\{%-?\s*include\s+(?:"([^"\n]*)"|'([^'\n]*)')/g;

/** Returns the names in the include tags of a text; also those in comments, where no partial is needed. */
function includedIn(body: string): Set<string> {
  return new Set(Array.from(body.matchAll(INCLUDE), ([, one, other]) => one ?? other!));
}

function boundedNamesIn(body: string, field: string): Set<string> {
  const names = includedIn(body);
  if (names.size > MAX_INCLUDED) throw badInput(`${field}.body`, `must include at most ${MAX_INCLUDED} partials`);
  return names;
}

/** Returns the layouts of a template from its own outwards, up to one more than there may be, which Composition refuses. */
function chainOf({ type, contentType, layoutId }: OwnTexts, layouts: ReadonlyMap<string, TextsRow>, field: string): TextsRow[] {
  const chain: TextsRow[] = [];
  for (let id = layoutId; id !== null && chain.length <= MAX_LEVELS; id = chain.at(-1)!.layoutId) {
    const layout = layouts.get(id);
    if (!layout) throw unknownLayout(id, field);
    if (chain.includes(layout)) throw badInput(`${field}.layoutId`, `makes the template "${quoted(layout.name)}" its own layout`);
    if (layout.type !== type || layout.contentType !== contentType) {
      const wrong = `${layout.contentType} ${layout.type}`;
      throw badInput(
        `${field}.layoutId`,
        `must be of type ${type} and contentType ${contentType}; "${quoted(layout.name)}" is a ${wrong}`,
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

function sourceOf(template: OwnTexts, chain: readonly TextsRow[], partials: ReadonlyMap<string, PartialTextRow>): TemplateSource {
  const { type, contentType, subject, body } = template;
  const sheets = [...chain.toReversed(), template].flatMap(({ parentText, css }) => [parentText, css]);
  return {
    type,
    contentType,
    subject: type === 'email' ? subject : null,
    body,
    css: contentType === 'html' ? sheets.filter((sheet): sheet is string => sheet !== null && sheet !== '') : [],
    layouts: chain.map((layout) => ({ name: layout.name, body: layout.body })),
    partials: reachable([body, ...chain.map((layout) => layout.body)], contentType, partials),
  };
}

/** Returns the partials that texts include, directly or through others. */
function reachable(bodies: readonly string[], contentType: string, partials: ReadonlyMap<string, PartialTextRow>) {
  const found = new Map<string, string>();
  const left = [...bodies];
  for (let body = left.pop(); body !== undefined; body = left.pop()) {
    for (const name of includedIn(body)) {
      const partial = partials.get(name);
      if (partial?.contentType !== contentType || found.has(partial.name)) continue;
      found.set(partial.name, partial.body);
      left.push(partial.body);
    }
  }
  return [...found].map(([name, body]) => ({ name, body })).sort((one, other) => (one.name < other.name ? -1 : 1));
}
