// Compiles src/ to dist/ as JavaScript, file by file, without type checks, which `npm run check` runs. Twelve times faster than the
// compiler, for a fast first start.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { transformSync } from 'rolldown/utils';
import { files, root } from './prepare.mjs';

const [SOURCE, TARGET] = [join(root, 'src'), join(root, 'dist')];

rmSync(TARGET, { recursive: true, force: true });
const sources = [...files(SOURCE, '.ts'), ...files(join(SOURCE, 'generated'), '.ts')].filter((path) => !path.endsWith('.d.ts'));
for (const path of sources) {
  const { code, map, errors } = transformSync(path, readFileSync(path, 'utf8'), { sourcemap: true }); // all else is in tsconfig.json
  if (errors.length > 0) {
    process.stderr.write(errors.map(({ message }) => message).join('\n'));
    process.exit(1);
  }
  const target = join(TARGET, `${path.slice(SOURCE.length, -'.ts'.length)}.js`);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, `${code}//# sourceMappingURL=${basename(target)}.map\n`);
  writeFileSync(
    `${target}.map`,
    JSON.stringify({ ...map, sources: [relative(dirname(target), path)], sourcesContent: undefined }),
  );
}
