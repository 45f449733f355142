import type { TemplateSource } from '../template-language/template.js';
import type { PartialTextRow, TextsRow, TranslationText } from './template-parts.queries.js';

/** The languages that a template and its layouts have texts in, as tags of BCP 47. */
export interface Languages {
  /** The language of the template itself, if it has one. */
  own: string | null;
  /** The languages of the template and its translations. */
  ofTemplate: readonly string[];
  /** These, and those of its layouts. */
  all: readonly string[];
}

/** Returns a tag and what is less specific, in the order of a lookup by RFC 4647, section 3.4: de-CH, then de. */
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
 * Returns the language in which a template is composed, undefined for its own texts. Texts that are in no language that was asked
 * for are in the template's own, and so are its layouts then.
 */
export function languageFor({ own, ofTemplate, all }: Languages, asked: string | undefined): string | undefined {
  const chain = asked === undefined ? [] : lookupChain(asked);
  const isFound = own === null || chain.some((tag) => ofTemplate.includes(tag));
  return (isFound ? chain : lookupChain(own)).find((tag) => all.includes(tag));
}

/** The texts of a template before it is composed. An unsaved one has no id. */
export type OwnTexts = Omit<TextsRow, 'id' | 'name'> & { id: string | null };

/** All texts that a template is made of. */
export interface Parts {
  template: OwnTexts;
  /** From the template's own layout outwards. */
  layouts: readonly TextsRow[];
  partials: readonly PartialTextRow[];
  /** Translations of the template and its layouts. One whose text was not asked for has no body. */
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

/** Composes a template in a language, which `languageFor` chooses. */
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

/** A template in one of its languages. */
export interface Variant {
  source: TemplateSource;
  language: string | undefined;
}

/** Composes a template in each of its languages, each combination of texts once: the template's own texts first. */
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

/** Returns the texts of a template and its layouts in a language, or their own. */
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

/** Returns the names in the include tags of a text; also those in comments, where no partial is needed. */
export function includedIn(body: string): Set<string> {
  return new Set(Array.from(body.matchAll(INCLUDE), ([, one, other]) => one ?? other!));
}

/** Returns the partials that texts include, directly or through others, by their names. */
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
