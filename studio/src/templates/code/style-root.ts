/**
 * A root for CodeMirror without a head, so that it adopts style sheets instead of writing a style element, which the
 * Content-Security-Policy forbids.
 */
export const STYLE_ROOT = {
  nodeType: Node.DOCUMENT_NODE,
  ownerDocument: document,
  get activeElement() {
    return document.activeElement;
  },
  get adoptedStyleSheets() {
    return document.adoptedStyleSheets;
  },
  set adoptedStyleSheets(sheets: CSSStyleSheet[]) {
    document.adoptedStyleSheets = sheets;
  },
  getSelection: () => document.getSelection(),
} as unknown as Document;
