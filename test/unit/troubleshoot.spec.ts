import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/troubleshoot.md'), 'utf8');

/** Returns the sources of a folder as one text, with strings in several parts joined. */
function textOf(folder: string, suffix: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(suffix));
  return names.map((name) => readFileSync(join(folder, name), 'utf8').replaceAll(/['`] \+\n\s*['`]/g, '')).join('\n');
}

describe('quotes in docs/troubleshoot.md', () => {
  const source = textOf(join(root, 'src'), '.ts');

  it('are log lines and errors of src', () => {
    const quotes = [...page.replaceAll(/^```.*?^```$/gms, '').matchAll(/"([^"\n]+)"/g)].map(([, quote]) => quote!);
    expect(quotes.length).toBeGreaterThan(40);
    const parts = quotes.flatMap((quote) => quote.split('…').map((part) => part.trim()));
    expect(parts.filter((part) => !source.includes(part))).toEqual([]);
  });

  it('are metrics of src, or of prom-client', () => {
    const library = textOf(dirname(createRequire(import.meta.url).resolve('prom-client')), '.js');
    const metrics = [...page.matchAll(/`([a-z]+(?:_[a-z\d]+)+)`/g)]
      .map(([, name]) => name!)
      .filter((name) => !name.startsWith('pg_'));
    expect(metrics.length).toBeGreaterThan(20);
    const isServed = (name: string) => source.includes(`name: '${name}'`) || library.includes(`'${name}'`);
    expect([...new Set(metrics)].filter((name) => !isServed(name))).toEqual([]);
  });
});
