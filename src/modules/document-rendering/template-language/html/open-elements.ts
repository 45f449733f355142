/**
 * Open elements that change how browsers parse content, innermost first. Inside SVG and MathML, `<title>` and `<style>` are ordinary
 * elements; in `<select>`, `<frameset>` or `<template>` they may be dropped.
 */
export interface OpenElements {
  readonly name: string;
  readonly outer: OpenElements | undefined;
  readonly depth: number;
}

const ROOTS = new Set(['svg', 'math', 'select', 'frameset', 'template']);
/** Elements of SVG and MathML whose content is parsed as HTML again. */
const HTML_INSIDE = new Set(['foreignobject', 'desc', 'title', 'mi', 'mo', 'mn', 'ms', 'mtext', 'annotation-xml']);
const VOID = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(' '),
);
/** Maximum tracked depth. Beyond it, the outermost element counts as open until the end. */
const MAX_DEPTH = 200;

export function opened(open: OpenElements | undefined, name: string, isSelfClosing: boolean): OpenElements | undefined {
  if (!open && !ROOTS.has(name)) return undefined;
  if (VOID.has(name) && name !== 'frame') return open;
  if (isSelfClosing && (open ? isForeign(open) : name === 'svg' || name === 'math')) return open;
  if ((open?.depth ?? 0) >= MAX_DEPTH) return { ...open!, name: 'svg', depth: Number.MAX_SAFE_INTEGER };
  return { name, outer: open, depth: (open?.depth ?? 0) + 1 };
}

/** Returns the open elements after an end tag. Ignores an unmatched one, since treating an element as open for too long is safe. */
export function closed(open: OpenElements | undefined, name: string): OpenElements | undefined {
  if (!open || open.depth > MAX_DEPTH || name === 'frameset') return open;
  if (open.name === name) return open.outer;
  if (!ROOTS.has(name)) return open;
  for (let at: OpenElements | undefined = open; at; at = at.outer) {
    if (at.name === name) return at.outer;
    if (HTML_INSIDE.has(at.name) || ROOTS.has(at.name)) return open;
  }
  return open;
}

/** Returns true if `/>` closes an element here, as in SVG and MathML only. */
function isForeign(open: OpenElements): boolean {
  for (let at: OpenElements | undefined = open; at; at = at.outer) {
    if (at.name === 'svg' || at.name === 'math') return true;
    if (HTML_INSIDE.has(at.name) || ROOTS.has(at.name)) return false;
  }
  return false;
}

export function isInside(open: OpenElements | undefined, name: string): boolean {
  for (let at = open; at; at = at.outer) if (at.name === name) return true;
  return false;
}

export function isSameOpen(one: OpenElements | undefined, other: OpenElements | undefined): boolean {
  let [left, right] = [one, other];
  for (; left !== right && left && right; [left, right] = [left.outer, right.outer]) if (left.name !== right.name) return false;
  return left === right;
}
