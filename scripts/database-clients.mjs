// Generates the Prisma clients of both databases like `prisma generate`, without the 140 MB of Prisma's other commands.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './prepare.mjs';

// As CommonJS: Node does not load the generator as a module.
const require = createRequire(import.meta.url);
const { PrismaClientTsGenerator } = require('@prisma/client-generator-ts');
const { getGenerators, loadSchemaContext } = require('@prisma/internals');

const registry = { 'prisma-client': { type: 'in-process', generator: new PrismaClientTsGenerator() } };
for (const provider of ['sqlite', 'postgresql']) {
  const schemaPath = { cliProvidedPath: join(root, 'prisma', provider) };
  const schemaContext = await loadSchemaContext({ schemaPath, printLoadMessage: false });
  for (const generator of await getGenerators({ schemaContext, registry })) {
    await generator.generate();
    generator.stop();
  }
}
