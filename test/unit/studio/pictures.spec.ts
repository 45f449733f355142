import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { coloursOf, readPng } from '../../browser/png.mjs';

const path = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
const FOLDER = path('docs/images/');
/** Place of the charts in a window of 1280 × 800. */
const CHARTS = { left: 460, right: 1_240, top: 240, bottom: 720 };
const FEWEST_PIXELS = 30;
const FEWEST_COLOURS = 40;
/** Series of the demo that have a bar. */
const DRAWN = ['--chart-good', '--chart-wait', '--chart-bad'];

/** Tokens of each theme: the light ones come first. */
const [light = '', dark = ''] = readFileSync(path('studio/src/ui/tokens.css'), 'utf8').split("[data-theme='dark']");
const colourIn = (theme: string, token: string) => new RegExp(`${token}: (#[0-9a-f]{6})`).exec(theme)![1]!;
const pictures = readdirSync(FOLDER).filter((name) => name.endsWith('.png'));

describe('the pictures of Studio', () => {
  it('are there for both themes', () => {
    const ofTheme = (theme: string) => pictures.filter((name) => name.includes(theme)).map((name) => name.replace(theme, ''));
    expect(ofTheme('-light')).toEqual(ofTheme('-dark'));
    expect(ofTheme('-light')).not.toEqual([]);
  });

  it('are those that the documents name', () => {
    const texts = ['README.md', 'docs/studio.md'].map((name) => readFileSync(path(name), 'utf8'));
    const named = texts.flatMap((text) => Array.from(text.matchAll(/images\/(studio-[\w-]+\.png)/g), ([, name]) => name!));
    expect([...new Set(named)].sort()).toEqual(pictures.toSorted());
  });

  it.each(pictures)('show a page on the background of its theme: %s', (name) => {
    const counts = coloursOf(readPng(readFileSync(FOLDER + name)), { step: 3 });
    const [most] = [...counts].sort(([, a], [, b]) => b - a);
    expect(counts.size).toBeGreaterThan(FEWEST_COLOURS);
    expect(most![0]).toBe(colourIn(name.includes('-dark') ? dark : light, '--page'));
  });

  it.each(['light', 'dark'])('have the bars of the overview in the colours of their series: %s', (theme) => {
    const counts = coloursOf(readPng(readFileSync(`${FOLDER}studio-overview-${theme}.png`)), CHARTS);
    const drawn = DRAWN.filter((token) => (counts.get(colourIn(theme === 'dark' ? dark : light, token)) ?? 0) >= FEWEST_PIXELS);
    expect(drawn).toEqual(DRAWN);
  });
});
