import { buildSchema, isEnumType, isInputObjectType, isObjectType, isSpecifiedScalarType } from 'graphql';
import ts from 'typescript';
import { root } from '../../scripts/prepare.mjs';
import { parse, readSources, walk } from '../../scripts/rules/source.mjs';
import { printedSchema } from '../../scripts/schemas.mjs';
import { ENDPOINTS } from '../../src/common/auth/scopes.js';

interface Described {
  name: string;
  description?: string | null;
}

/** Numbers that nobody sets: of formats, protocols and calendars, and the first or least of something that is counted. */
const FACTS = [
  /^3\.1\.0$/g, // version of OpenAPI
  /\bsuch as 5\.1\.1\b/g,
  /\b[01]\b(?! ([KMGT]iB|bytes|s|seconds|h|hours|days)\b)/g,
  /\d{4}-\d\d-\d\d(T[\d:.+]+Z?)?|\b00:00:00\b/g,
  /\byear 9999|\bto 9999/g,
  /\b(answers|is|and|else) 4\d\d\b/g,
  /\b(code|with) 44\d\d\b/g,
  /\bRFC \d{4}\b/g,
  /-180 to 180|-90 to 90/g,
  /\bbyte 00\b|\b32 (zero )?bytes\b|\b16 random bytes\b/g,
  /\bfirst 12 characters of the key\b/g,
  /\binput\.3\./g,
  /\bmultiple of 4\b|, section 4\b|\b64 hexadecimal digits\b|\\3c\/style|\binvoices\/2026\//g,
  // No check bounds the content of a proof.
  /\bor the edit\. At most 1 MiB|\berasure\. At most 1 MiB/g,
];
const NUMBER = /(?<![\w-])\d[\d,]*/g;
/** Files with texts of the schema: those that declare it, and those whose constants they put together. */
const DESCRIBES = /\.descriptions\.ts$|^src\/common\/lists\/page\.ts$/;
const DECLARES = /from '(@nestjs\/graphql|graphql|\..*\/input\.js)';/;

type Source = ReturnType<typeof parse>;

/** Returns each number that stands in a text of the file, with its line. */
function numbersIn({ path, tree }: Source): string[] {
  const found: string[] = [];
  walk(tree, (node: ts.Node) => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (!isText || ts.isImportDeclaration(node.parent)) return;
    const text = FACTS.reduce((rest, fact) => rest.replaceAll(fact, ''), node.text);
    const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
    for (const [number] of text.matchAll(NUMBER)) found.push(`${path}:${line} ${number} in ${JSON.stringify(node.text)}`);
  });
  return found;
}

const found = (text: string) => numbersIn(parse('src/a.model.ts', text)).length;

describe('the schema of', () => {
  it.each(ENDPOINTS)('%s describes every type, field, argument, input field and value', (service) => {
    const types = Object.values(buildSchema(printedSchema(service)).getTypeMap());
    const missing: string[] = [];
    const look = (path: string, { description }: Described) => void (description?.trim() || missing.push(path));
    for (const type of types.filter((one) => !one.name.startsWith('__') && !isSpecifiedScalarType(one))) {
      look(type.name, type);
      if (isEnumType(type)) for (const value of type.getValues()) look(`${type.name}.${value.name}`, value);
      if (!isObjectType(type) && !isInputObjectType(type)) continue;
      for (const field of Object.values(type.getFields())) {
        look(`${type.name}.${field.name}`, field);
        if ('args' in field) for (const argument of field.args) look(`${type.name}.${field.name}(${argument.name})`, argument);
      }
    }
    expect(missing).toEqual([]);
  });
});

describe('a limit in a description', () => {
  it('is written from the constant that the check uses', () => {
    const sources = readSources(root).filter(({ path, text }) => DESCRIBES.test(path) || DECLARES.test(text));
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.flatMap(numbersIn)).toEqual([]);
  });

  it.each([
    "const a = 'Up to 1,024 characters.';",
    "const a = 'At most 5 MiB and 100 levels deep.';",
    "const a = 'Lifetime of the URL in seconds, 1 to 604,800; 3,600 by default.';",
    "const a = 'valid for 24 h';",
    "const a = 'fewer than 1 KiB a second';",
    'const a = `limit is 1 to ${MAX}, 100 by default.`;',
  ])('is reported if it is a literal number: %s', (text) => expect(found(text)).toBeGreaterThan(0));

  it.each([
    'const a = `1 to ${asCount(MAX_NAME)} characters`;',
    "const a = 'UUIDv7, as SHA-256 and IPv4 are';",
    "const a = 'the PUT answers 413, with code 4401';",
    "const a = 'a time up to the year 9999, such as 2023-07-18T15:00:00.000Z';",
  ])('is not confused with a fact: %s', (text) => expect(found(text)).toBe(0));
});
