export interface Part {
  kind: 'same' | 'old' | 'new';
  text: string;
}

const MOST_WORDS = 600;

/** Compares two texts word by word. Texts that are too long count as one change. */
export function diffWords(before: string, after: string): Part[] {
  const old = wordsOf(before);
  const now = wordsOf(after);
  if (old.length > MOST_WORDS || now.length > MOST_WORDS) return whole(before, after);
  const lengths = commonLengths(old, now);
  const parts: Part[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      push(parts, 'same', old[i]!);
      i += 1;
      j += 1;
    } else if (i < old.length && (j === now.length || lengths[i + 1]![j]! >= lengths[i]![j + 1]!)) {
      push(parts, 'old', old[i]!);
      i += 1;
    } else {
      push(parts, 'new', now[j]!);
      j += 1;
    }
  }
  return parts;
}

const wordsOf = (text: string): string[] => text.match(/\s+|[\p{L}\p{N}_]+(?:[.,]\p{N}+)*|[^\s\p{L}\p{N}_]/gu) ?? [];
const whole = (before: string, after: string): Part[] => [
  { kind: 'old', text: before },
  { kind: 'new', text: after },
];

function push(parts: Part[], kind: Part['kind'], text: string): void {
  const last = parts.at(-1);
  if (last?.kind === kind) last.text += text;
  else parts.push({ kind, text });
}

/** Number of common words of the remaining texts, for each pair of positions. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint16Array[] {
  const rows = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      rows[i]![j] = old[i] === now[j] ? rows[i + 1]![j + 1]! + 1 : Math.max(rows[i + 1]![j]!, rows[i]![j + 1]!);
    }
  }
  return rows;
}
