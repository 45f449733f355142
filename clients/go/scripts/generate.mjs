// node clients/go/scripts/generate.mjs: writes one package per service from schema/*.graphql: its types as structs and constants, and a
// method for each of its operations.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { getNamedType, getNullableType, isListType, isNonNullType, isObjectType, isScalarType } from 'graphql';
import { eventServicesOf, isAlways, readServices, selectionOf, takenAsText, typeName } from '../../js/scripts/schemas.mjs';
import { snake } from '../../js/scripts/words.mjs';

const SCALARS = {
  ID: 'string',
  String: 'string',
  DateTime: 'time.Time',
  Int: 'int',
  Float: 'float64',
  Boolean: 'bool',
  Name: 'any',
};
/** Initialisms that Go writes in capitals. */
const WHOLE = {
  id: 'ID',
  ids: 'IDs',
  url: 'URL',
  uri: 'URI',
  html: 'HTML',
  ip: 'IP',
  dns: 'DNS',
  etag: 'ETag',
  etags: 'ETags',
  sha256: 'SHA256',
};
/** Types of text inputs that are given as values. */
const TEXTS = { object: 'any', unknown: 'any', Uint8Array: '[]byte', Date: '*time.Time' };
/** Go keywords and other names that an argument cannot have. */
const TAKEN = new Set(['type', 'func', 'map', 'range', 'select', 'string', 'ctx', 'options', 's']);

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const text = (value) => JSON.stringify(value);
const words = (name) => snake(name).split('_');
const exported = (name) =>
  words(name).map((word) => WHOLE[word] ?? word[0].toUpperCase() + word.slice(1)).join(''); // prettier-ignore
const local = (name) => {
  const own = words(name).length === 1 ? snake(name) : words(name)[0] + exported(name).slice(exported(words(name)[0]).length);
  return TAKEN.has(own) ? `${own}_` : own;
};
const comment = (description, indent = '') => (description ? `${indent}// ${description.replaceAll(/\s+/g, ' ')}\n` : '');
const isString = (type) => ['String', 'ID'].includes(getNullableType(type).name);

/** Returns true for a single argument that is always given: a parameter of the method. Others become fields of a struct. */
const isAlone = ({ args }) =>
  args.length === 1 && (isNonNullType(args[0].type) || args[0].name === 'input' || isString(args[0].type));
const argsName = (name) => `${exported(name)}Args`;

function moduleOf({ name, service, enums, inputs, objects, operations }) {
  const parts = [
    ...enums.map(enumOf),
    ...inputs.map(inputOf),
    ...objects.map(objectOf),
    ...operations.filter(({ field }) => field.args.length > 0 && !isAlone(field)).map(argsOf),
    ...operations.flatMap((operation) => [methodOf(operation), ...(operation.isPage ? [walkOf(operation)] : [])]),
  ];
  const declared = parts.join('\n').match(/^(?:type|func \(s \*Operations\)|\t\w+ +\w+ += ) ?\w+/gm) ?? [];
  const twice = declared.find((one, index) => declared.indexOf(one) !== index && one.startsWith('type'));
  if (twice) throw new Error(`${service} has ${twice} twice`);
  return [
    `// Package ${name} has the types and the operations of ${service}. Made from schema/${service}.graphql by scripts/generate.mjs.`,
    `package ${name}\n`,
    `import (\n\t"context"\n${parts.some((part) => part.includes('time.Time')) ? '\t"time"\n' : ''}\n\t"github.com/platform-services/platform-services/clients/go/internal/wire"\n)\n`,
    `const service = ${text(service)}\n`,
    `// Operations has a method for each operation of ${service}.\ntype Operations struct {\n\tcaller wire.Caller\n}\n`,
    `// New is for the client, which makes one.\nfunc New(caller wire.Caller) *Operations {\n\treturn &Operations{caller}\n}\n`,
    ...parts,
  ].join('\n');
}

function enumOf(type) {
  const name = typeName(type);
  const values = type
    .getValues()
    .map((value) => `${comment(value.description, '\t')}\t${name}${pascal(value.name)} ${name} = ${text(value.name)}`);
  return `${comment(type.description)}type ${name} string\n\nconst (\n${values.join('\n')}\n)\n`;
}
const pascal = (name) => exported(name.toLowerCase() === name || name.toUpperCase() === name ? name.toLowerCase() : name);

/** Returns the Go type of an input value. Nil omits the value. */
function takenType(type) {
  const bare = getNullableType(type);
  if (isListType(bare)) return `[]${takenType(getNullableType(bare.ofType)).replace(/^\*/, '')}`;
  const one = isScalarType(bare) ? SCALARS[bare.name] : typeName(bare);
  return isNonNullType(type) || one === 'any' ? one : `*${one}`;
}

/** Returns the Go type of a field of an input; some texts are given as values. */
const fieldType = (type, field) => TEXTS[takenAsText(type, field)] ?? takenType(field.type);
/** Returns true for a text that is sent as the JSON of its value. */
const isJson = (type, field) => fieldType(type, field) === 'any' && takenAsText(type, field) !== undefined;

/** Aligns the columns of adjacent fields as gofmt does: a comment between two fields ends a block. */
function aligned(fields) {
  const rows = fields.map((field) => field.split('\n'));
  const blocks = [];
  for (const row of rows) {
    if (row.length > 1 || blocks.length === 0) blocks.push([]);
    blocks.at(-1).push(row);
  }
  return blocks.flatMap((block) => {
    const columns = block.map((row) => /^\t(\S+) (\S+) (.*)$/.exec(row.at(-1)).slice(1));
    const [names, types] = [0, 1].map((at) => Math.max(...columns.map((column) => column[at].length)));
    return block.map((row, at) => {
      const [name, type, tag] = columns[at];
      return [...row.slice(0, -1), `\t${name.padEnd(names)} ${type.padEnd(types)} ${tag}`].join('\n');
    });
  });
}

function inputOf(type) {
  const name = typeName(type);
  const fields = Object.values(type.getFields()).map(
    (field) =>
      `${comment(field.description, '\t')}\t${exported(field.name)} ${fieldType(type, field)} \`json:${text(field.name)}${isJson(type, field) ? ' wire:"json"' : ''}\``,
  );
  const nulls = `\t// NullFields names fields of the schema to send as null, which clears them.\n\tNullFields []string \`json:"-"\``;
  return `${comment(type.description)}type ${name} struct {\n${aligned(fields).join('\n')}\n${nulls}\n}\n
// MarshalJSON leaves out what is nil.
func (i ${name}) MarshalJSON() ([]byte, error) {
	return wire.Marshal(i, i.NullFields)
}\n`;
}

function givenType(type, isThere) {
  const bare = getNullableType(type);
  if (isListType(bare)) return `[]${givenType(bare.ofType, true)}`;
  const one = isScalarType(bare) ? SCALARS[bare.name] : typeName(bare);
  return isThere || one === 'any' ? one : `*${one}`;
}

function objectOf(type) {
  const fields = Object.values(type.getFields()).map((field) => {
    const isThere = isAlways(type, field);
    return `${comment(field.description, '\t')}\t${exported(field.name)} ${givenType(field.type, isThere && !isRecursive(type, field))} \`json:${text(field.name)}\``;
  });
  return `${comment(type.description)}type ${typeName(type)} struct {\n${aligned(fields).join('\n')}\n}\n`;
}
/** Returns true for a field of the type of its own struct, which must be a pointer in Go. */
const isRecursive = (type, field) => getNamedType(field.type) === type && !isListType(getNullableType(field.type));

function argsOf({ name, field }) {
  const fields = field.args.map((one) => `${comment(one.description, '\t')}\t${exported(one.name)} ${takenType(one.type)}`);
  return `// ${argsName(name)} are the arguments of ${exported(name)}. What is nil is left out.\ntype ${argsName(name)} struct {\n${fields.join('\n')}\n}\n`;
}

const written = (selection) =>
  Object.entries(selection).map(([name, wanted]) => (wanted === true ? name : `${name} { ${written(wanted)} }`)).join(' '); // prettier-ignore

function operationOf(operation, fields) {
  const { name, kind, key, isRepeatable } = operation;
  const parts = [`Kind: ${text(kind)}`, `Name: ${text(name)}`, `Fields: ${text(fields)}`];
  if (key) parts.push(`Key: ${text(key)}`);
  if (isRepeatable) parts.push('IsRepeatable: true');
  return `wire.Operation{Service: service, ${parts.join(', ')}}`;
}

function parameterOf(field) {
  if (field.args.length === 0) return '';
  const [first] = field.args;
  return isAlone(field) ? `, ${local(first.name)} ${takenType(first.type).replace(/^\*/, '')}` : `, args ${argsName(field.name)}`;
}

function givenArguments({ args, ...field }, isWalk = false) {
  const alone = isAlone({ args, ...field });
  const given = args.filter(({ name }) => !isWalk || name !== 'nextToken');
  return given
    .map(
      (one) =>
        `{Name: ${text(one.name)}, Type: ${text(String(one.type))}, Value: ${alone ? local(one.name) : `args.${exported(one.name)}`}}`,
    )
    .join(', ');
}

function methodOf(operation) {
  const { name, field } = operation;
  const named = getNamedType(field.type);
  const bare = getNullableType(field.type);
  const fields = isObjectType(named) ? written(selectionOf(named)) : '';
  const result = isListType(bare) ? givenType(bare, true) : isObjectType(named) ? `*${typeName(named)}` : givenType(bare, true);
  return `// ${exported(name)}: ${(field.description ?? '').replaceAll(/\s+/g, ' ')}
func (s *Operations) ${exported(name)}(ctx context.Context${parameterOf(field)}, options ...wire.Option) (${result}, error) {
	return wire.Run[${result}](ctx, s.caller, ${operationOf(operation, fields)}, []wire.Argument{${givenArguments(field)}}, options)
}\n`;
}

function walkOf(operation) {
  const { name, field } = operation;
  const item = getNamedType(getNamedType(field.type).getFields().items.type);
  return `// All${exported(name)} walks all pages of ${exported(name)}, asking for one page at a time. A selection is that of an item.
func (s *Operations) All${exported(name)}(ctx context.Context, args ${argsName(name)}, options ...wire.Option) *wire.Pages[${typeName(item)}] {
	return wire.Walk[${typeName(item)}](ctx, s.caller, ${operationOf(operation, written(selectionOf(item)))}, []wire.Argument{${givenArguments(field, true)}}, options)
}\n`;
}

/** Writes a struct for each webhook event, and the function that parses one. */
function eventsModuleOf(services) {
  const all = services.flatMap(({ name, service, events }) =>
    events.map((event) => ({
      ...event,
      service,
      struct: eventName(service, event),
      object: `${name}.${typeName(event.object)}`,
    })),
  );
  const imported = services
    .filter(({ events }) => events.length > 0)
    .map(({ name }) => `\t"github.com/platform-services/platform-services/clients/go/${name}"`);
  const structs = all.map(
    ({ struct, type, service, description, object }) =>
      `// ${struct} is the event ${type} of ${service}. ${(description ?? '').replaceAll(/\s+/g, ' ')}\ntype ${struct} struct {\n\tplatform.Event\n\tObject ${object}\n}\n`,
  );
  const cases = all.map(
    ({ struct, type, service }) =>
      `\tcase ${text(`/${service} ${type}`)}:\n\t\town := &${struct}{Event: *event}\n\t\treturn own, json.Unmarshal(event.Data, &own.Object)`,
  );
  return [
    '// Package events has a struct for each event of the webhooks of platform-services. Made from schema/*.graphql by scripts/generate.mjs.',
    'package events\n',
    `import (\n\t"encoding/json"\n\n\tplatform "github.com/platform-services/platform-services/clients/go"\n${imported.sort().join('\n')}\n)\n`,
    ...structs,
    `// Of returns the event as the struct of its type, with its object. A ping, and an event that a newer server has, stay a *platform.Event. Of an event
// that IsTruncated, the object has only its ID.
func Of(event *platform.Event) (any, error) {
	switch event.Source + " " + event.Type {
${cases.join('\n')}
	}
	return event, nil
}
`,
  ].join('\n');
}
/** Names messages and recipients of the email service after mails, since other services have them too. */
const eventName = (service, { name }) => pascal(service === 'email' ? name.replace(/^(MESSAGE|RECIPIENT)/, 'MAIL') : name);

/** Writes the service of each event. */
function eventServicesModule() {
  const all = eventServicesOf(services);
  const longest = Math.max(...all.map(([name]) => name.length));
  const rows = all.map(([name, service]) => `\t${`${text(name)}:`.padEnd(longest + 3)} ${text(service)},`);
  return `package wire\n\n// EventServices has the service of each event, by the name with which a webhook subscribes to it. Made from schema/*.graphql by\n// scripts/generate.mjs.\nvar EventServices = map[string]string{\n${rows.join('\n')}\n}\n`;
}

function writePackage(name, content) {
  const folder = at(`../${name}/`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${name}.go`, content);
}

const services = readServices();
for (const service of services) writePackage(service.name, moduleOf(service));
writePackage('events', eventsModuleOf(services));
writeFileSync(at('../internal/wire/events.go'), eventServicesModule());
