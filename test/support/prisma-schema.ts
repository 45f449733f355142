import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const folder = fileURLToPath(new URL('../../prisma/', import.meta.url));

interface Field {
  name: string;
  type: string;
  kind: 'scalar' | 'enum' | 'object';
  isId: boolean;
  isRequired: boolean;
  default?: unknown;
  relationFromFields?: string[];
  relationToFields?: string[];
  relationOnDelete?: string;
}
interface Model {
  name: string;
  fields: Field[];
}
interface Index {
  model: string;
  type: 'id' | 'normal' | 'unique';
  fields: { name: string }[];
  /** Name in the database, if it is not that of Prisma. */
  dbName?: string | null;
}

/** Expected content of a database, one line each. */
export interface SchemaLines {
  columns: string[];
  keys: string[];
  foreignKeys: string[];
}

const TYPES: Record<'sqlite' | 'postgresql', Record<string, string>> = {
  sqlite: { String: 'TEXT', DateTime: 'DATETIME', BigInt: 'BIGINT', Int: 'INTEGER', Boolean: 'BOOLEAN', Bytes: 'BLOB' },
  postgresql: {
    String: 'text',
    DateTime: 'timestamp(3) without time zone',
    BigInt: 'bigint',
    Int: 'integer',
    Boolean: 'boolean',
    Bytes: 'bytea',
  },
};

/** Returns the tables declared by the Prisma schema, in the words of a database. */
export async function readPrismaSchema(provider: 'sqlite' | 'postgresql'): Promise<SchemaLines> {
  const paths = [`${provider}/schema.prisma`, ...readdirSync(`${folder}models`).map((name) => `models/${name}`)];
  const { getDMMF } = require('@prisma/internals') as {
    getDMMF(given: object): Promise<{ datamodel: { models: Model[]; indexes: Index[] } }>;
  };
  const { datamodel } = await getDMMF({ datamodel: paths.map((path) => [path, readFileSync(folder + path, 'utf8')]) });
  const { models, indexes } = datamodel;
  return {
    columns: models.flatMap(({ name, fields }) =>
      fields.filter(({ kind }) => kind !== 'object').map((field) => `${name}.${columnOf(provider, field)}`),
    ),
    keys: indexes.map(({ model, type, fields, dbName }) => keyLine(model, type, fields.map(({ name }) => name), dbName ?? undefined)), // prettier-ignore
    foreignKeys: models.flatMap(({ name, fields }) =>
      fields.filter(({ relationFromFields }) => relationFromFields?.length).map((field) => foreignKeyOf(name, field)),
    ),
  };
}

/** Returns a primary key, or an index under its own name or that of Prisma. */
export function keyLine(table: string, type: Index['type'], columns: string[], name = nameOf(table, type, columns)): string {
  return `${type} ${name} (${columns.join(', ')})`;
}

const nameOf = (table: string, type: Index['type'], columns: string[]): string =>
  type === 'id' ? table : `${table}_${columns.join('_')}_${type === 'unique' ? 'key' : 'idx'}`;

function columnOf(provider: 'sqlite' | 'postgresql', field: Field): string {
  const { name, type, kind, isRequired, default: given } = field;
  const isSequence = typeof given === 'object' && given !== null;
  const ofEnum = provider === 'sqlite' ? 'TEXT' : `"${type}"`;
  const stored = kind === 'enum' ? ofEnum : isSequence && provider === 'sqlite' ? 'INTEGER' : TYPES[provider][type]!;
  const standard =
    given === undefined || isSequence ? '' : ` DEFAULT ${type === 'String' ? `'${String(given)}'` : String(given)}`;
  return `${name} ${stored}${isRequired ? ' NOT NULL' : ''}${standard}`;
}

function foreignKeyOf(
  table: string,
  { type, isRequired, relationFromFields, relationToFields, relationOnDelete }: Field,
): string {
  const action = (relationOnDelete ?? (isRequired ? 'Restrict' : 'SetNull')).replace(/\B[A-Z]/g, ' $&').toUpperCase();
  return `${table} (${relationFromFields!.join(', ')}) -> ${type} (${relationToFields!.join(', ')}) ON DELETE ${action}`;
}
