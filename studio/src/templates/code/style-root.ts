/**
 * A document as CodeMirror asks for it. It has no head, so that CodeMirror adopts its styles rather than to write them into a style
 * element, which the Content-Security-Policy forbids.
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
