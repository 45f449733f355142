import type { Api } from './api.js';
import { TestServer } from './server.js';

const AUTHOR = 'author{id name email profile}';
const CSS = `id name text ${AUTHOR} createdAt updatedAt`;
const TEMPLATE = `id name type active subject body css parentCss{${CSS}} contentType comment ${AUTHOR} createdAt updatedAt`;
export const CREATE_CSS = `mutation($input:CreateCssInput!){createCss(input:$input){${CSS}}}`;
export const UPDATE_CSS = `mutation($id:ID!,$input:UpdateCssInput!){updateCss(id:$id,input:$input){${CSS}}}`;
export const DELETE_CSS = `mutation($id:ID!){deleteCss(id:$id){${CSS}}}`;
export const CREATE = `mutation($input:CreateTemplateInput!){createTemplate(input:$input){${TEMPLATE}}}`;
export const UPDATE = `mutation($id:ID!,$input:UpdateTemplateInput!){updateTemplate(id:$id,input:$input){${TEMPLATE}}}`;
export const DELETE = `mutation($id:ID!){deleteTemplate(id:$id){${TEMPLATE}}}`;
export const PAGE_CSS = `query($filter:CssFilter,$nextToken:String,$limit:Int){css(filter:$filter,nextToken:$nextToken,limit:$limit){items{${CSS}} nextToken}}`;
export const PAGE = `query($filter:TemplatesFilter,$nextToken:String,$limit:Int){templates(filter:$filter,nextToken:$nextToken,limit:$limit){items{${TEMPLATE}} nextToken}}`;
export const UNKNOWN = '01a1fc71-ac8b-74ea-88bc-78167c5aaf33';
export const MIB = 2 ** 20;
/** 1,024 characters that hardly compress: more bytes than a PostgreSQL index entry holds. */
export const LONG_NAME = String.fromCodePoint(...Array.from({ length: 1_024 }, (_, i) => 0x4e00 + ((i * 7_919) % 20_000)));

/** A client of the service. */
export class Rendering {
  private constructor(
    readonly server: TestServer,
    readonly api: Api,
  ) {}

  static async start(): Promise<Rendering> {
    const server = await TestServer.start();
    return new Rendering(server, await server.api('document-rendering'));
  }

  /** Returns the same server as seen by a new tenant. */
  async another(): Promise<Rendering> {
    return new Rendering(this.server, await this.server.api('document-rendering'));
  }

  private made = 0;
  /** The mandatory fields of a new template. */
  input(given: object = {}): Record<string, unknown> {
    return { name: `template ${this.made++}`, type: 'document', body: 'b', contentType: 'html', ...given };
  }
  create = async (given: object = {}) => (await this.api.ask(CREATE, { input: this.input(given) })).createTemplate;
  update = async (id: string, given: object = {}) =>
    (await this.api.ask(UPDATE, { id, input: { body: 'b', contentType: 'html', ...given } })).updateTemplate;
  createCss = async (given: object = {}) => (await this.api.ask(CREATE_CSS, { input: { name: 'style', ...given } })).createCss;
  find = async (id: string) => (await this.api.ask(PAGE, { filter: { ids: [id] } })).templates.items[0];
  findCss = async (id: string) => (await this.api.ask(PAGE_CSS, { filter: { ids: [id] } })).css.items[0];
  refusedCreate = (given: object) => this.api.refusal(CREATE, { input: this.input(given) });
  refusedUpdate = (id: string, given: object) =>
    this.api.refusal(UPDATE, { id, input: { body: 'b', contentType: 'html', ...given } });
  stop = () => this.server.stop();
}

/** Runs operations concurrently and returns the codes of refused ones. */
export async function refusalsOf(
  operations: Promise<{ errors: { extensions: { code: string } }[] | undefined }>[],
): Promise<string[]> {
  return (await Promise.all(operations)).flatMap(({ errors }) => errors?.map(({ extensions }) => extensions.code) ?? []);
}

export const badInput = (field: string, message = /./) => ({
  code: 'BAD_USER_INPUT',
  field,
  message: expect.stringMatching(message),
});

/** Given fields, the refused field, and the message. */
export type Fault = [given: object, field: string, message: RegExp];
export const AUTHOR_FAULTS = ['id', 'name', 'email', 'profile'].map((field): Fault => [
  { author: { [field]: 'x'.repeat(1_025) } },
  `input.author.${field}`,
  /at most 1024/,
]);
export const STYLE_FAULTS = ['a{}</style>', 'a{}</STYLE >', '</style'];
