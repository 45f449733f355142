import type { AuthorInput, CreateLogInput, EventLocationInput, EventSourceInput } from './generated/log.js';

/** Values shared by all records of a change. */
export interface AuditSubject {
  documentType: string;
  documentId: string;
  author?: AuthorInput;
  /** Time of the change; now by default. */
  dateTime?: string;
  /** By default create, update or delete, derived from the objects. */
  action?: string;
  eventSource?: EventSourceInput;
  eventLocation?: EventLocationInput;
  /** Fields to leave out, such as `password` or `address.note`. */
  ignore?: readonly string[];
}

/** Maximum depth; deeper objects are logged as a whole, as JSON. */
const MAX_DEPTH = 16;

/**
 * Returns a record for each field that differs, in the order of the fields; without `before` the document was created, without `after`
 * deleted. Fields of nested objects have names such as `address.city`; lists are compared and logged as JSON. A null or absent field has
 * no value.
 */
export function audit(
  before: object | null | undefined,
  after: object | null | undefined,
  subject: AuditSubject,
): CreateLogInput[] {
  const { ignore = [], dateTime = new Date().toISOString(), action, ...rest } = subject;
  const old = fieldsOf(before ?? {});
  const now = fieldsOf(after ?? {});
  const isIgnored = (name: string) => ignore.some((one) => name === one || name.startsWith(`${one}.`));
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter(
    (name) => old.get(name) !== now.get(name) && !isIgnored(name),
  );
  const happened = before ? (after ? 'update' : 'delete') : 'create';
  const valueOf = (raw: string | undefined) => (raw === undefined ? null : { raw });
  return changed.map((name) => ({
    ...rest,
    dateTime,
    action: action ?? happened,
    attribute: { id: name, name },
    attributeOldValue: valueOf(old.get(name)),
    attributeNewValue: valueOf(now.get(name)),
  }));
}

/** Returns the fields that have a value, each as text. */
function fieldsOf(object: object, prefix = '', depth = 0, found = new Map<string, string>()): Map<string, string> {
  for (const [key, value] of Object.entries(object)) {
    const name = prefix + key;
    if (isPlain(value) && depth < MAX_DEPTH) fieldsOf(value, `${name}.`, depth + 1, found);
    else if (value !== null && value !== undefined && !['function', 'symbol'].includes(typeof value))
      found.set(name, textOf(value));
  }
  return found;
}

function isPlain(value: unknown): value is object {
  const prototype: unknown = typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : undefined;
  return (
    prototype !== undefined &&
    (prototype === null || Object.getPrototypeOf(prototype as object) === null) &&
    !Array.isArray(value)
  );
}

/** Returns texts and times unchanged, everything else as JSON with sorted names. */
function textOf(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === 'bigint') return String(inner);
    return isPlain(inner) ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1))) : inner;
  });
  const read: unknown = JSON.parse(text);
  return typeof read === 'string' ? read : text;
}
