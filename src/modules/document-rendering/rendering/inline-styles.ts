import juice from 'juice/client';

// Text that looks like a placeholder of another template engine is plain text here, and must be parsed as such.
for (const name of Object.keys(juice.codeBlocks)) Reflect.deleteProperty(juice.codeBlocks, name);

// The elements that these match change while a mail is open.
juice.ignoredPseudos.push('any-link', 'checked', 'disabled', 'enabled', 'optional', 'required', 'selected', 'target');

/** A style element for media other than the screen; juice leaves an element with `data-embed` alone. */
const OTHER_MEDIA = /<style(?=[^>]*\smedia\s*=(?!\s*["']?\s*(?:all|screen)\s*["'\s>]))/gi;

/**
 * Moves the rules of all style elements into `style` attributes, for mail programs that drop style elements. A rule stays
 * in its element when an attribute cannot express it: at-rules (media queries, fonts, keyframes), pseudo-classes and
 * pseudo-elements, variables, and selectors that match nothing here, which address elements that a mail program adds.
 * `!important` takes effect here and is dropped, so that a media query can still win with its own.
 */
export function inlineStyles(html: string): string {
  return juice(html.replace(OTHER_MEDIA, '$& data-embed'), {
    removeStyleTags: false,
    removeInlinedSelectors: true,
    preservedSelectors: [':before', ':after', ':root'],
    applyWidthAttributes: false,
    applyHeightAttributes: false,
    applyAttributesTableElements: false,
  });
}
