import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const pages = [
  ...readdirSync(root),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)),
  ...['bench', 'scripts', 'studio', 'test/containers', 'test/soak'].map((folder) => join(folder, 'README.md')),
].filter((name) => name.endsWith('.md'));
const textOf = (page: string) => readFileSync(join(root, page), 'utf8').replaceAll(/^```.*?^```$/gms, '');

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the links of', () => {
  it.each(pages)('%s lead to existing pages and headings', (page) => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
    const broken = links.filter(([, path, anchor]) => {
      const target = path ? join(dirname(page), path) : page;
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && (statSync(join(root, target)).isDirectory() || !anchorsOf(target).includes(anchor));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('docs/README.md leads to every page of docs', () => {
    const index = textOf('docs/README.md');
    const missing = pages.filter((page) => /^docs\/[^/]+\.md$/.test(page) && page !== 'docs/README.md').filter((page) => !index.includes(`(${page.slice('docs/'.length)})`)); // prettier-ignore
    expect(missing).toEqual([]);
  });
});
