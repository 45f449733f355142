import juice from 'juice/client';

// What looks like the placeholder of another template engine is plain text by now, and must be parsed as such.
for (const name of Object.keys(juice.codeBlocks)) Reflect.deleteProperty(juice.codeBlocks, name);

// Which elements these match changes while a mail is read.
juice.ignoredPseudos.push('any-link', 'checked', 'disabled', 'enabled', 'optional', 'required', 'selected', 'target');

/** A style element for other media than the screen; juice takes `data-embed` as a wish to leave it alone. */
const OTHER_MEDIA = /<style(?=[^>]*\smedia\s*=(?!\s*["']?\s*(?:all|screen)\s*["'\s>]))/gi;

/**
 * Moves the rules of all style elements into `style` attributes, for mail programs that drop style elements. A rule stays
 * in its element when an attribute cannot say it: at-rules (media queries, fonts, keyframes), pseudo-classes and
 * pseudo-elements, variables, and selectors that match nothing here, which address what a mail program wraps around.
 * `!important` decides here and is not carried over, so that a media query can still win with its own.
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
