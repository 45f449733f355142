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
