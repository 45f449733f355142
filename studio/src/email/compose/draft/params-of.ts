/** JSON value of the template form. */
type Prefilled = { [name: string]: Prefilled } | Prefilled[] | string;

/** Writes an object with a placeholder for each parameter of a template, such as `customer.name` and `items[].price`. */
export function paramsOf(names: readonly string[]): string {
  const all: { [name: string]: Prefilled } = Object.create(null) as { [name: string]: Prefilled };
  for (const name of names) place(all, name.split('.'));
  return JSON.stringify(all, undefined, 2);
}

/** Returns the names of empty texts, which are the placeholders. */
export function emptyIn(params: string): string[] {
  try {
    return emptyBelow(JSON.parse(params || '{}') as Prefilled, '');
  } catch {
    return [];
  }
}

function emptyBelow(value: Prefilled, path: string): string[] {
  if (value === '') return [path];
  if (Array.isArray(value)) return value.flatMap((one, at) => emptyBelow(one, `${path}[${at}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => emptyBelow(one, path ? `${path}.${name}` : name));
}

function place(into: { [name: string]: Prefilled }, [first = '', ...rest]: readonly string[]): void {
  const isList = first.endsWith('[]');
  const name = isList ? first.slice(0, -2) : first;
  if (rest.length === 0) {
    into[name] ??= isList ? [''] : '';
    return;
  }
  const known = into[name];
  if (isList) {
    const element = Array.isArray(known) && typeof known[0] === 'object' ? (known[0] as { [name: string]: Prefilled }) : {};
    into[name] = [element];
    place(element, rest);
    return;
  }
  const child = typeof known === 'object' && !Array.isArray(known) ? known : {};
  if (Array.isArray(known)) return;
  into[name] = child;
  place(child, rest);
}
