import juice from 'juice/client';

// Disables placeholders of other template engines, which juice would skip. They are plain text here.
for (const name of Object.keys(juice.codeBlocks)) Reflect.deleteProperty(juice.codeBlocks, name);

// Excludes pseudo-classes for states that change while an email is open.
juice.ignoredPseudos.push('any-link', 'checked', 'disabled', 'enabled', 'optional', 'required', 'selected', 'target');

/** Style elements for media other than the screen. The attribute `data-embed` makes juice keep them. */
const OTHER_MEDIA = /<style(?=[^>]*\smedia\s*=(?!\s*["']?\s*(?:all|screen)\s*["'\s>]))/gi;

/**
 * Inlines style elements into `style` attributes, for mail clients that drop style elements. Keeps rules that attributes cannot
 * express: at-rules, pseudo-classes, pseudo-elements, variables, and selectors without a match, which may match elements added by a
 * mail client. Drops `!important` after use, so that one in a media query still wins.
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
