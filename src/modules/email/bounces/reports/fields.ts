/** Fields of one group, by lowercase name. */
export type Fields = Map<string, string>;

const FIELD = /^([A-Za-z][A-Za-z0-9-]{0,63})[ \t]*:(.*)$/;
const MAX_VALUE = 4_096;

/**
 * Parses groups of fields separated by blank lines, as in delivery-status (RFC 3464) and feedback-report (RFC 5965). The first value of a
 * repeated field wins.
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
