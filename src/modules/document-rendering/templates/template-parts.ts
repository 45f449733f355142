import type { TemplateSource } from '../template-language/template.js';
import type { PartialTextRow, TextsRow, TranslationText } from './template-parts.queries.js';

/** Languages of a template and its layouts, as BCP 47 tags. */
export interface Languages {
  /** Language of the template itself, if set. */
  own: string | null;
  /** Languages of the template and its translations. */
  ofTemplate: readonly string[];
  /** Languages of the template, its translations and its layouts. */
  all: readonly string[];
}

/** Returns a tag and its less specific forms, in RFC 4647 lookup order (section 3.4): de-CH, then de. */
export function lookupChain(tag: string): string[] {
  const subtags = tag.split('-');
  const chain: string[] = [];
  while (subtags.length > 0) {
    chain.push(subtags.join('-'));
    subtags.pop();
    if (subtags.at(-1)?.length === 1) subtags.pop();
  }
  return chain;
}

/**
 * Returns the language in which a template is composed; undefined for its own texts. If no text of the template matches the requested
 * language, its layouts are in the template's own language too.
 */
export function languageFor({ own, ofTemplate, all }: Languages, asked: string | undefined): string | undefined {
  const chain = asked === undefined ? [] : lookupChain(asked);
  const isFound = own === null || chain.some((tag) => ofTemplate.includes(tag));
  return (isFound ? chain : lookupChain(own)).find((tag) => all.includes(tag));
}

/** Texts of a template before composition. An unsaved one has no id. */
export type OwnTexts = Omit<TextsRow, 'id' | 'name'> & { id: string | null };

/** All texts of a template. */
export interface Parts {
  template: OwnTexts;
  /** Layouts from innermost to outermost. */
  layouts: readonly TextsRow[];
  partials: readonly PartialTextRow[];
  /** Translations of the template and its layouts. The body is null if its text was not requested. */
  translations: readonly TranslationText[];
}

export function languagesOf({ template, layouts, translations }: Parts): Languages {
  const of = (row: OwnTexts): string[] => {
    const own = row.locale === null ? [] : [row.locale];
    return [...own, ...translations.flatMap(({ templateId, locale }) => (templateId === row.id ? locale : []))];
  };
  const ofTemplate = of(template);
  return { own: template.locale, ofTemplate, all: [...new Set([...ofTemplate, ...layouts.flatMap(of)])] };
}

/** Composes a template in a language from `languageFor`. */
export function sourceOf(parts: Parts, language?: string): TemplateSource {
  const { template, layouts, partials } = parts;
  const [own, ...around] = textsIn(parts, language);
  const { type, contentType } = template;
  const sheets = [...layouts.toReversed(), template].flatMap(({ parentText, css }) => [parentText, css]);
  return {
    type,
    contentType,
    locale: own!.locale,
    subject: type === 'email' ? own!.subject : null,
    body: own!.body,
    css: contentType === 'html' ? sheets.filter((sheet): sheet is string => sheet !== null && sheet !== '') : [],
    layouts: layouts.map(({ name }, index) => ({ name, body: around[index]!.body })),
    partials: reachable([own!.body, ...around.map(({ body }) => body)], contentType, partials),
  };
}

/** Template in one of its languages. */
export interface Variant {
  source: TemplateSource;
  language: string | undefined;
}

/** Composes a template in each of its languages, own texts first. Each combination of texts appears once. */
export function variantsOf(parts: Parts): Variant[] {
  const seen = new Set<string>();
  return [undefined, ...languagesOf(parts).all].flatMap((language) => {
    const key = textsIn(parts, language)
      .map(({ isTranslated, locale }) => (isTranslated ? locale : ''))
      .join(' ');
    if (seen.has(key)) return [];
    seen.add(key);
    return { source: sourceOf(parts, language), language };
  });
}

/** Returns the texts of a template and its layouts in a language, or the template's own texts. */
function textsIn({ template, layouts, translations }: Parts, language: string | undefined) {
  const chain = language === undefined ? [] : lookupChain(language);
  return [template, ...layouts].map((row) => {
    const { id, subject, body, locale } = row;
    for (const tag of chain) {
      if (tag === locale) break;
      const found = translations.find((one) => one.templateId === id && one.locale === tag);
      if (!found) continue;
      return { subject: found.subject ?? subject, body: found.body!, locale: found.locale, isTranslated: true };
    }
    return { subject, body, locale, isTranslated: false };
  });
}

const INCLUDE = /\{%-?\s*include\s+(?:"([^"\n]*)"|'([^'\n]*)')/g;

/** Returns the names in the include tags of a text. Includes those in comments, whose partial may be missing. */
export function includedIn(body: string): Set<string> {
  return new Set(Array.from(body.matchAll(INCLUDE), ([, one, other]) => one ?? other!));
}

/** Returns the partials that texts include, directly or through others. */
export function reachable(
  bodies: readonly string[],
  contentType: string,
  partials: readonly PartialTextRow[],
): { name: string; body: string }[] {
  const byName = new Map(partials.map((partial) => [partial.name, partial]));
  const found = new Map<string, string>();
  const left = [...bodies];
  for (let body = left.pop(); body !== undefined; body = left.pop()) {
    for (const name of includedIn(body)) {
      const partial = byName.get(name);
      if (partial?.contentType !== contentType || found.has(name)) continue;
      found.set(name, partial.body);
      left.push(partial.body);
    }
  }
  return [...found].map(([name, body]) => ({ name, body })).sort((one, other) => (one.name < other.name ? -1 : 1));
}
