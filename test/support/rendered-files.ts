import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Api } from './api.js';
import { areMet } from './needs.js';

export const RENDER =
  'mutation($input:RenderFileInput!){renderFile(input:$input){fileId contentLength pages missingParams warnings{path reason}}}';
const CREATE = 'mutation($input:CreateTemplateInput!){createTemplate(input:$input){id}}';
export const FILE =
  'query($id:ID!){file(ID:$id){name status contentType contentLength externalReference attributes{name value} downloadUrl}}';
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

/** Input of renderFile with an unsaved template. */
export const html = (body: string, more: object = {}) => ({
  template: { type: 'document', contentType: 'html', body, ...more },
  params: '{}',
});

/** A tenant that renders files. */
export class RenderingTenant {
  constructor(
    readonly rendering: Api,
    readonly files: Api,
  ) {}

  static async of({ address }: { address: string }, key: string): Promise<RenderingTenant> {
    return new RenderingTenant(new Api(address, 'document-rendering', key), new Api(address, 'file-management', key));
  }

  async render(input: object) {
    return (await this.rendering.ask(RENDER, { input })).renderFile;
  }
  refusal = (input: object) => this.rendering.refusal(RENDER, { input });
  template = (name: string, body: string, more: object = {}) =>
    this.rendering.ask(CREATE, { input: { name, body, type: 'document', contentType: 'html', ...more } });

  async pdf(input: object): Promise<string> {
    const { fileId } = await this.render(input);
    const { file } = await this.files.ask(FILE, { id: fileId });
    return Buffer.from(await (await fetch(file.downloadUrl)).arrayBuffer()).toString('latin1');
  }

  async stored(name: string, content: Buffer): Promise<string> {
    const { createFile } = await this.files.ask('mutation($name:String){createFile(input:{name:$name}){id uploadUrl}}', { name });
    expect((await fetch(createFile.uploadUrl, { method: 'PUT', body: new Uint8Array(content) })).status).toBe(200);
    return createFile.id;
  }
}

/** Checks that stored files show in margins, once for each reference, and that their limits hold. */
export async function checkShownInMargins(tenant: RenderingTenant, unknown: string): Promise<void> {
  const logo = await tenant.stored('logo.png', PNG);
  await tenant.template(
    'margin',
    '<div style="background:url(cid:{{ logo }})"><img src="cid:{{ logo }}" style="width:9px;height:9px"></div>',
  );
  const input = (part: string, id: string) => ({
    ...html('<p>x'),
    params: JSON.stringify({ logo: id }),
    pdf: { marginsMm: [20], [part]: 'margin' },
  });
  for (const part of ['headerTemplateName', 'footerTemplateName']) {
    expect(await tenant.pdf(input(part, logo))).toContain('/Subtype /Image');
    expect(await tenant.refusal(input(part, unknown))).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining(`cid:${unknown}`),
    });
  }
  const large = await tenant.stored('large.png', Buffer.alloc(5 * 2 ** 20));
  expect(await tenant.refusal(input('headerTemplateName', large))).toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
    message: expect.stringMatching(/^the header may have at most 10 MiB with its files/),
  });
  await tenant.template('long margin', '{{ text }}{{ text }}x');
  const params = JSON.stringify({ text: 'x'.repeat(2 ** 19) });
  expect(await tenant.refusal({ ...html('<p>x'), params, pdf: { footerTemplateName: 'long margin' } })).toMatchObject({
    code: 'BAD_USER_INPUT',
    field: 'input.pdf.footerTemplateName',
    message: expect.stringContaining('1048576 characters'),
  });
}

const FONTS = '/usr/share/fonts';

/** Returns the largest font of this machine, or undefined, which counts as a missing need. */
export function largestFont(): Buffer | undefined {
  const names = existsSync(FONTS) ? readdirSync(FONTS, { recursive: true, encoding: 'utf8' }) : [];
  const paths = names.filter((name) => name.endsWith('.ttf')).map((name) => join(FONTS, name));
  const [largest] = paths.sort((a, b) => statSync(b).size - statSync(a).size);
  return areMet({ name: `a font in ${FONTS}`, isMet: largest !== undefined }) ? readFileSync(largest!) : undefined;
}
