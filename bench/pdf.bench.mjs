// A page printed to PDF by renderFile, compared with a persistent Chromium driven by puppeteer-core: newPage, setContent, pdf, close.
// Both run the same program, alternately; ours starts a browser with a new profile for each PDF, and stores the PDF. Then 100 at once:
// whether they are answered in order, and the memory of all browsers. The program is TEST_CHROMIUM, or /usr/bin/chromium by default.
// Left out: pages with images and fonts, documents of many pages, several tenants, PostgreSQL, an S3 store, and Gotenberg.
import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { launch } from 'puppeteer-core';
import { GraphqlApi } from './support/graphql-api.mjs';
import { median, report, skip } from './support/report.mjs';
import { createKey, folder, start } from './support/servers.mjs';
import { usageOfTree } from '../dist/modules/document-rendering/pdf/process-tree.js';

const CHROMIUM = process.env.TEST_CHROMIUM ?? '/usr/bin/chromium';
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const PAGES_A_ROUND = Number(process.env.BENCH_SECONDS ?? 4) * 2;
const AT_ONCE = 100;
const TARGET_RATIO = 1.3;
const TARGET_PLACES = 10;
/** Memory limit of all concurrent browsers of the printer together. */
const TARGET_MIB = 3 * 1_024;
const POLL_MS = 10;
const RENDER = 'mutation($input:RenderFileInput!){renderFile(input:$input){fileId pages contentLength}}';

const lines = Array.from({ length: 25 }, (_, index) => ({ name: `Item ${index}`, price: index * 1.5 }));
const row = (name, price) => `<tr><td>${name}</td><td>${price}</td></tr>`;
const page = (rows) =>
  `<!doctype html><html lang="en"><title>Invoice</title><h1>Invoice 2026-17</h1><table>${rows}</table></html>`;
const template = page(`{% for line in lines %}${row('{{ line.name }}', '{{ line.price }}')}{% endfor %}`);
const html = page(lines.map(({ name, price }) => row(name, price)).join(''));
const options = { format: 'A4', margin: { top: '10mm', right: '10mm', bottom: '10mm', left: '10mm' }, printBackground: true };

if (existsSync(CHROMIUM)) await measure();
else skip(`PDF, which needs a Chromium: TEST_CHROMIUM`);

async function measure() {
  const server = await start('dist/bundle/main.js', { CHROMIUM_PATH: CHROMIUM });
  const api = new GraphqlApi(server.address, 'document-rendering', createKey());
  await api.ask('mutation($input:CreateTemplateInput!){createTemplate(input:$input){id}}', {
    input: { name: 'invoice', type: 'document', contentType: 'html', body: template },
  });
  const input = { templateName: 'invoice', params: JSON.stringify({ lines }) };
  const ours = () => api.ask(RENDER, { input });
  await ours(); // the first starts what prepares the next
  const args = process.getuid?.() === 0 ? ['--no-sandbox', '--disable-gpu'] : ['--disable-gpu'];
  const userDataDir = mkdtempSync(join(folder, 'peer-'));
  const browser = await launch({ executablePath: CHROMIUM, pipe: true, headless: true, userDataDir, args });
  report('pdf: a page, ms, against a Chromium that stays, driven by puppeteer-core', [
    await inTurns('a page, when the next browser is ready', server, ours, () => alone(browser), TARGET_RATIO),
    await inTurns('pages without a pause between them', undefined, ours, () => alone(browser)),
  ]);
  await browser.close();
  report(`pdf: ${AT_ONCE} of a tenant at once`, await atOnce(server, ours));
  await server.stop();
}

async function alone(browser) {
  const tab = await browser.newPage();
  await tab.setContent(html);
  const content = await tab.pdf(options);
  await tab.close();
  return content;
}

/** Prints alternately on both sides. With a server, waits until its next browser is ready. */
async function inTurns(what, server, ours, peer, target) {
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const times = { ours: [], peer: [] };
    for (let index = 0; index < PAGES_A_ROUND; index++) {
      if (server) while ((await figure(server, 'pdf_browsers_prepared')) !== 1) await delay(POLL_MS);
      times.ours.push(await timeOf(ours));
      if (server) while ((await figure(server, 'pdf_browsers_prepared')) !== 1) await delay(POLL_MS);
      times.peer.push(await timeOf(peer));
    }
    if (round > 0) rounds.push({ ours: median(times.ours), peer: median(times.peer) }); // the first round warms up
  }
  const ratio = median(rounds.map((round) => round.ours / round.peer));
  const of = (name) => median(rounds.map((round) => round[name])).toFixed(0);
  const figures = { ours: of('ours'), peer: of('peer'), ratio: ratio.toFixed(2) };
  return { what, ...figures, ...(target && { target: `<= ${target}`, met: ratio <= target }) };
}

async function timeOf(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function atOnce(server, ours) {
  const answered = [];
  const refused = [];
  let bytes = 0;
  const own = usageOfTree(server.pid).memoryBytes;
  const watch = setInterval(() => (bytes = Math.max(bytes, usageOfTree(server.pid).memoryBytes)), 50);
  const startedAt = performance.now();
  const all = [];
  for (let index = 0; index < AT_ONCE; index++) {
    all.push(ours().then(() => answered.push(index), (error) => refused.push(error.message))); // prettier-ignore
    await delay(2); // so that they arrive in their order
  }
  await Promise.all(all);
  const seconds = (performance.now() - startedAt) / 1000;
  clearInterval(watch);
  if (refused.length > 0) process.stderr.write(`${refused[0]}\n`);
  const places = Math.max(...answered.map((index, place) => Math.abs(index - place)));
  const mib = (bytes - own) / 2 ** 20;
  return [
    { what: 'answered', ours: String(answered.length), target: `${AT_ONCE}`, met: answered.length === AT_ONCE },
    { what: 'seconds', ours: seconds.toFixed(1) },
    { what: 'places between asked and answered, at most', ours: String(places), target: `<= ${TARGET_PLACES}`, met: places <= TARGET_PLACES }, // prettier-ignore
    { what: 'memory of all browsers, MiB', ours: mib.toFixed(0), target: `<= ${TARGET_MIB}`, met: mib <= TARGET_MIB },
  ];
}

async function figure({ address }, name) {
  const text = await (await fetch(`${address}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
}
