import { setImmediate as turn } from 'node:timers/promises';
import type { RenderPool } from '../../src/modules/document-rendering/engine/render-pool.js';
import { TemplateEngine } from '../../src/modules/document-rendering/engine/template-engine.js';
import type { TemplateSource } from '../../src/modules/document-rendering/template-language/template.js';

/** Some milliseconds of work until it is given up to a process. */
const LOOPS = '{% for a in list %}{% for b in list %}<p>{{ a }} {{ b }}</p>{% endfor %}{% endfor %}';
const PARAMS = JSON.stringify({ list: Array.from({ length: 400 }, (_, index) => `value ${index}`) });
const FIELDS = { source: 'template', params: 'params' };
const MANY = 100;

/** An engine whose processes do nothing, and the turns of the event loop in which it gave renderings up to them. */
function engineWithTurns() {
  let turns = 0;
  let isDone = false;
  const givenUpIn: number[] = [];
  const run = async () => {
    givenUpIn.push(turns);
    return { body: '', warnings: [] };
  };
  const counting = (async () => {
    while (!isDone) {
      await turn();
      turns++;
    }
  })();
  const engine = new TemplateEngine({ run } as unknown as RenderPool);
  const source = (): TemplateSource => ({
    type: 'document',
    contentType: 'html',
    locale: null,
    subject: null,
    body: LOOPS,
    css: [],
    layouts: [],
    partials: [],
  });
  const end = async () => {
    isDone = true;
    await counting;
  };
  return { engine, source, givenUpIn, end };
}

it('many concurrent renderings let other work run in between', async () => {
  const { engine, source, givenUpIn, end } = engineWithTurns();
  await Promise.all(Array.from({ length: MANY }, () => engine.render('tenant', source(), { params: PARAMS }, FIELDS)));
  await end();
  expect(givenUpIn).toHaveLength(MANY);
  expect(new Set(givenUpIn).size).toBeGreaterThan(10);
});
