// Queries of every list in the printed schemas, by each filter and order. Includes later lists, filters and orders automatically.
import { readFileSync } from 'node:fs';
import { buildSchema, getNamedType, isEnumType, isInputObjectType, isLeafType, isNonNullType } from 'graphql';
import { HITS } from './grown-tenant.mjs';

const SERVICES = ['file-management', 'document-log', 'websockets-manager', 'email'];
const SINCE = '2024-01-02T00:00:00Z';
const UNTIL = '2024-01-03T00:00:00Z';
const NO_ID = '00000000-0000-7000-8000-000000000000';

/** Filter values by field name, for fields with a special form. */
const FORMS = {
  folder: (hit) => `${hit}/`,
  namePrefix: (hit) => `${hit}/`,
  prefix: (hit) => `${hit}/`,
  to: (hit) => `${hit}@example.com`,
  address: (hit) => `${hit}@example.com`,
  id: () => NO_ID,
  ids: () => [NO_ID],
  globalMessageId: () => NO_ID,
};

/** Arguments that a value requires besides itself. */
const WITH = { SENDS_SOON: ['filter:{scheduled:true}'] };

/**
 * Returns `{ service, what, by, query }` for each, where `by` is `list` (without arguments), `order`, `filter` or `search` (by a part of
 * a text, which no index serves). Omits lists that require the id of an object.
 */
export function listProbes() {
  return SERVICES.flatMap((service) => {
    const schema = buildSchema(readFileSync(new URL(`../../schema/${service}.graphql`, import.meta.url), 'utf8'));
    return Object.values(schema.getQueryType().getFields())
      .filter(isList)
      .flatMap((field) => probesOf(service, field));
  });
}

const isList = (field) =>
  field.args.some(({ name }) => name === 'limit') &&
  field.args.every(({ name, type }) => !isNonNullType(type) || name === 'externalReference');

function probesOf(service, field) {
  const result = getNamedType(field.type);
  const selection = result.getFields?.().items
    ? `{items{${leafOf(result.getFields().items.type)}} nextToken}`
    : isLeafType(result)
      ? ''
      : `{${leafOf(result)}}`;
  const needed = field.args.filter(({ type }) => isNonNullType(type));
  const optional = field.args.filter(({ name, type }) => !isNonNullType(type) && !['limit', 'nextToken'].includes(name));
  // A list without pages requires a limit once it is long.
  const bounded = field.args.some(({ name }) => name === 'nextToken') ? [] : ['limit:100'];
  const probe = (some, what, by) => probeOf([...some, ...bounded], what, by);
  const probeOf = (given, what, by) => ({
    service,
    by,
    what: `${service} ${field.name}${what && ` by ${what}`}`,
    query: `{${field.name}${given.length > 0 ? `(${given.join(',')})` : ''}${selection}}`,
  });
  const own = needed.flatMap(({ name }) => HITS.map((hit) => probe([`${name}:"${hit}"`], `${name}, ${hit}`, 'filter')));
  const chosen = optional.flatMap(({ name, type }) =>
    valuesOf(name, type).map(({ text, what }) =>
      probe([`${name}:${text}`, ...(WITH[text] ?? []), ...needed.map(({ name: own }) => `${own}:"rare"`)], what, byOf(what)),
    ),
  );
  return [...(needed.length > 0 ? own : [probe([], '', 'list')]), ...chosen];
}

const byOf = (what) => ({ order: 'order', contains: 'search' })[/^\w+/.exec(what)[0]] ?? 'filter';

/** Returns each value to try for an argument or a filter field. */
function valuesOf(name, type) {
  const named = getNamedType(type);
  if (isEnumType(named)) return named.getValues().map((value) => ({ text: value.name, what: `${name} ${value.name}` }));
  if (named.name === 'Boolean') return [true, false].map((value) => ({ text: String(value), what: `${name} ${value}` }));
  if (named.name === 'DateTimeFilter' || named.name === 'DateFilter')
    return [{ text: `{from:"${SINCE}",to:"${UNTIL}"}`, what: `${name}, a day` }];
  if (named.name === 'MailTagInput')
    return HITS.map((hit) => ({ text: `{name:"kind",value:"${hit}"}`, what: `${name}, ${hit}` }));
  if (isInputObjectType(named)) {
    return Object.values(named.getFields()).flatMap((field) =>
      valuesOf(field.name, field.type).map(({ text, what }) => ({ text: `{${field.name}:${text}}`, what })),
    );
  }
  const form = FORMS[name] ?? ((hit) => hit);
  return [...new Map(HITS.map((hit) => [JSON.stringify(form(hit)), hit]))].map(([text, hit]) => ({
    text,
    what: `${name}, ${hit}`,
  }));
}

const leafOf = (type) => Object.values(getNamedType(type).getFields()).find((field) => isLeafType(getNamedType(field.type))).name;
