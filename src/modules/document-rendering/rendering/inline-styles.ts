import juice from 'juice/client';

// Text that looks like a placeholder of another template engine is plain text here, so juice must not skip it.
for (const name of Object.keys(juice.codeBlocks)) Reflect.deleteProperty(juice.codeBlocks, name);

// These pseudo-classes match elements whose state changes while a mail is open, so their rules are not inlined.
juice.ignoredPseudos.push('any-link', 'checked', 'disabled', 'enabled', 'optional', 'required', 'selected', 'target');

/** A style element for media other than the screen. It gets `data-embed`, with which juice leaves an element unchanged. */
const OTHER_MEDIA = /<style(?=[^>]*\smedia\s*=(?!\s*["']?\s*(?:all|screen)\s*["'\s>]))/gi;

/**
 * Moves the rules of all style elements into `style` attributes, for mail programs that drop style elements. A rule stays in its
 * element if an attribute cannot express it: at-rules (media queries, fonts, keyframes), pseudo-classes and pseudo-elements,
 * variables, and selectors that match nothing here, which may match elements that a mail program adds. `!important` takes effect
 * during inlining and is removed, so that an `!important` of a media query can still win.
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
