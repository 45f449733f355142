/** The fields of one group, by their names in lower case. */
export type Fields = Map<string, string>;

const FIELD = /^([A-Za-z][A-Za-z0-9-]{0,63})[ \t]*:(.*)$/;
const MAX_VALUE = 4_096;

/**
 * Reads groups of fields that blank lines separate, the form of delivery-status (RFC 3464) and feedback-report (RFC 5965). Of a field
 * that a group repeats, the first counts.
 */
export function fieldGroups(text: string, maxGroups: number): Fields[] {
  const groups: Fields[] = [];
  let fields: Fields = new Map();
  let last: string | undefined;
  for (const line of text.split(/\r?\n|\r/)) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (line.trim() === '') {
      if (fields.size > 0 && groups.push(fields) === maxGroups) return groups;
      [fields, last] = [new Map(), undefined];
    } else if (/^[ \t]/.test(line)) {
      if (last === undefined || fields.get(last)!.length >= MAX_VALUE) continue;
      fields.set(last, `${fields.get(last)!} ${line.trim()}`.slice(0, MAX_VALUE));
    } else if (name !== undefined) {
      last = fields.has(name.toLowerCase()) ? undefined : name.toLowerCase();
      if (last !== undefined) fields.set(last, value!.trim().slice(0, MAX_VALUE));
    }
  }
  if (fields.size > 0) groups.push(fields);
  return groups;
}
