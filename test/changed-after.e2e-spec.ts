import { randomUUID } from 'node:crypto';
import { Rendering } from './support/rendering.js';

const CHANGED = 'id:ID!,$input';
const OPERATIONS = {
  template: `mutation($${CHANGED}:UpdateTemplateInput!){change:updateTemplate(id:$id,input:$input){updatedAt}}`,
  stylesheet: `mutation($${CHANGED}:UpdateCssInput!){change:updateCss(id:$id,input:$input){updatedAt}}`,
  partial: `mutation($${CHANGED}:UpdatePartialInput!){change:updatePartial(id:$id,input:$input){updatedAt}}`,
  translation: `mutation($${CHANGED}:TemplateTranslationInput!){change:putTemplateTranslation(templateId:$id,locale:"de",input:$input){updatedAt}}`,
};
const CREATE_PARTIAL = 'mutation($input:CreatePartialInput!){createPartial(input:$input){id updatedAt}}';
const AT_ONCE = 12;

describe.each(['template', 'stylesheet', 'partial', 'translation'] as const)('a change of a %s', (word) => {
  let at: Rendering;
  beforeAll(async () => (at = await Rendering.start()));
  afterAll(() => at.stop());

  const textOf = (text: string) => ({
    template: { body: text, contentType: 'html' },
    stylesheet: { text },
    partial: { body: text },
    translation: { body: text },
  });
  const create = async (): Promise<{ id: string; updatedAt: string }> => {
    if (word === 'stylesheet') return at.createCss({ text: 'a{}' });
    if (word === 'partial') {
      const input = { name: `p${randomUUID()}`, contentType: 'html', body: 'a' };
      return (await at.api.ask(CREATE_PARTIAL, { input })).createPartial;
    }
    const { id, updatedAt } = await at.create();
    return word === 'template' ? { id, updatedAt } : { id, updatedAt: await change(id, 'a') };
  };
  const inputOf = (text: string, changedAfter?: string) => ({ ...textOf(text)[word], ...(changedAfter && { changedAfter }) });
  const change = async (id: string, text: string, changedAfter?: string): Promise<string> =>
    (await at.api.ask(OPERATIONS[word], { id, input: inputOf(text, changedAfter) })).change.updatedAt;
  const refused = (id: string, text: string, changedAfter: string) =>
    at.api.refusal(OPERATIONS[word], { id, input: inputOf(text, changedAfter) });

  it('is refused if another was made after the time that its caller read', async () => {
    const { id, updatedAt } = await create();
    const second = await change(id, 'b', updatedAt);
    const late = await refused(id, 'c', updatedAt);
    expect(late).toMatchObject({ code: 'CONFLICT', field: 'input.changedAfter' });
    expect(late.message).toContain(`was changed at ${second}; read it again`);
    expect(Date.parse(await change(id, 'c', second))).toBeGreaterThan(Date.parse(second));
    await change(id, 'd');
  });

  it('succeeds once of many based on the same time', async () => {
    const { id, updatedAt } = await create();
    const made = await Promise.allSettled(Array.from({ length: AT_ONCE }, (_, n) => change(id, `n${n}`, updatedAt)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await refused(id, 'x', updatedAt)).code).toBe('CONFLICT');
  });

  it('has a later time than the one before, even within a millisecond', async () => {
    const { id, updatedAt } = await create();
    const times = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => change(id, `n${n}`)));
    expect(new Set([updatedAt, ...times]).size).toBe(AT_ONCE + 1);
  });
});
