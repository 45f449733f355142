import { readdirSync, readFileSync } from 'node:fs';

/** Tables with a tenantId, as declared in prisma/models. */
export function tenantTables(): string[] {
  const folder = new URL('../../prisma/models/', import.meta.url);
  const text = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n'); // prettier-ignore
  return [...text.matchAll(/^model (\w+) \{(.*?)^\}/gms)]
    .filter(([, , body]) => /^\s+tenantId\s/m.test(body!))
    .map(([, name, body]) => /^\s+@@map\("(\w+)"\)/m.exec(body!)?.[1] ?? name!);
}
