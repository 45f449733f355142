/** Memory of a field besides its text: its name, its place in the answer, its value. */
export const FIELD_BYTES = 64;
/** Shorter texts count as many bytes as characters, which is close enough here. */
const SHORT_TEXT = 1_024;

/** Returns the bytes of memory that a field without selections counts. */
export function sizeOfLeaf(value: unknown): number {
  return FIELD_BYTES + sizeOfValue(value);
}

/** Texts count their bytes of UTF-8, in which they are sent. */
function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return value.length < SHORT_TEXT ? value.length : Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return 0;
  let sizeBytes = 0;
  for (const [key, part] of Object.entries(value)) sizeBytes += FIELD_BYTES + key.length + sizeOfValue(part);
  return sizeBytes;
}
