import type { Draft, Saved } from './template';

/** Texts used by a rendering in a language. */
export interface Found {
  texts: Draft;
  /** Unused parameters, as saved. */
  unused: readonly string[];
  /** Whether they are in the requested language, or in a less specific one. */
  isTranslated: boolean;
}

/** Finds the texts of a language by the lookup of RFC 4647, like the server, including the current draft. */
export function textsIn(base: Saved, draft: Draft, wanted: string): Found {
  const own = base.original ?? base;
  const tags = [own.locale, ...base.translations.map(({ locale }) => locale)];
  const tag = lookupChain(wanted || base.locale).find((one) => tags.includes(one));
  const locale = tag ?? own.locale;
  const translation = base.translations.find((one) => one.locale === locale);
  const texts = locale === base.locale ? draft : { ...draft, subject: own.subject, body: own.body, ...translation, locale };
  const subject = texts.subject || own.subject;
  return { texts: { ...texts, subject }, unused: translation?.unusedParams ?? [], isTranslated: tag !== undefined };
}

function lookupChain(tag: string): string[] {
  const subtags = tag.split('-');
  const parts = subtags.map((_, index) => subtags.slice(0, subtags.length - index));
  return parts.filter((part) => part.at(-1)!.length > 1).map((part) => part.join('-'));
}

/** Returns a canonical tag; undefined if it is invalid. */
export function canonical(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.trim())[0];
  } catch {
    return undefined;
  }
}

const NAMES = new Intl.DisplayNames(['en'], { type: 'language' });

/** Such as `Swiss High German (de-CH)`. */
export const languageName = (tag: string): string => `${NAMES.of(tag)} (${tag})`;

/** Suggested languages; others can be typed. */
export const COMMON = ['ar', 'cs', 'da', 'de', 'de-CH', 'en', 'en-GB', 'es', 'fr', 'he', 'hi', 'it', 'ja', 'ko', 'nl', 'pl', 'pt-BR', 'ru', 'sv', 'tr', 'uk', 'zh-CN']; // prettier-ignore
