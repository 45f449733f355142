import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { badInput } from '../../common/base/app-error.js';
import { type KeyColumns, keyOf } from '../../common/idempotency/idempotency-key.js';
import { once } from '../../common/idempotency/once.js';
import { OperationKeysService } from '../../common/idempotency/operation-keys.service.js';
import { checkInput } from '../../common/base/text.js';
import { StoredFilesService } from '../file-management/files/stored-files.service.js';
import { PdfInput, type PdfOptions, RenderFileInput } from './rendered-file.inputs.js';
import { MAX_EMBEDDED_BYTES, MAX_HEADER, MAX_HEADER_WITH_FILES, MAX_SHOWN_BYTES, MAX_SHOWN_FILES } from './models/limits.js';
import type { RenderedFile } from './models/rendered-file.model.js';
import type { RenderingResult } from './models/rendering.model.js';
import { ContentType } from './models/template.model.js';
import type { PdfDocument, PrintedPdf } from './pdf/pdf-document.js';
import type { Embedded } from './pdf/archival-pdf.js';
import { INVOICE, levelOf } from './pdf/metadata.js';
import { PdfThread } from './pdf/pdf-thread.js';
import { PdfPrinter } from './pdf/pdf-printer.js';
import { RenderingService } from './rendering.service.js';
import { asMarginHtml, withPageNumbers } from './pdf/page-numbers.js';
import { type ShownFiles, shownIn, withFiles } from './pdf/shown-files.js';

const PDF = 'application/pdf';
const OPERATION = 'renderFile';
const PRODUCER = 'platform-services';

/** Input of renderFile. Other services pass on what their callers sent. */
export type FileToRender = Omit<RenderFileInput, 'pdf'> & { pdf?: object | null };

/** Input values checked before rendering. */
interface Wanted {
  options: PdfOptions;
  file: ReturnType<StoredFilesService['prepare']>;
  key: KeyColumns;
}

/** Files to embed, with the conformance level of an invoice among them. */
interface Attached {
  files: Embedded[];
  level: string | null;
}

const NONE: Attached = { files: [], level: null };

/** Renders templates to PDF files. */
@Injectable()
export class RenderedFilesService {
  constructor(
    private readonly renderings: RenderingService,
    private readonly printer: PdfPrinter,
    private readonly pdfs: PdfThread,
    private readonly files: StoredFilesService,
    private readonly keys: OperationKeysService,
  ) {}

  /**
   * @throws the errors of RenderingService.render, PdfPrinter.print and StoredFilesService; CONFLICT for an idempotency key with
   * other input
   */
  async render(caller: Caller, input: FileToRender): Promise<RenderedFile> {
    const options = checkInput(PdfInput.rules, input.pdf ?? {}, 'input.pdf');
    const file = this.files.prepare(caller, { ...input.file, contentType: PDF }, 'input.file');
    checkInput(RenderFileInput.fields.idempotencyKey, input.idempotencyKey, 'input.idempotencyKey');
    const { idempotencyKey, ...content } = input;
    const key = keyOf(idempotencyKey, content);
    return once('file', key, {
      find: (used) => this.keys.find<RenderedFile>({ tenantId: caller.tenantId, operation: OPERATION }, used),
      first: () => this.first(caller, input, { options, file, key }),
      repeat: (result) => result,
    });
  }

  /** Removes a file created by `render` whose id was not returned to a caller. */
  remove(caller: Caller, fileId: string): Promise<void> {
    return this.files.remove(caller, fileId);
  }

  /** Returns undefined and stores nothing if the idempotency key was already taken. */
  private async first(caller: Caller, input: FileToRender, { options, file, key }: Wanted): Promise<RenderedFile | undefined> {
    const body = await this.bodyOf(caller, input);
    const header = await this.marginOf(caller, input, options, 'headerTemplateName');
    const footer = await this.marginOf(caller, input, options, 'footerTemplateName');
    if (options.embed.length > 0) namesOf(options.embed, await this.files.find(caller, embeddedOf(options), MAX_EMBEDDED_BYTES));
    this.printer.check();
    let embedded = NONE;
    const named = { locale: body.language ?? null, title: input.file?.name ?? input.templateName ?? null };
    const load = async (): Promise<PdfDocument> => {
      const { paper, landscape, marginsMm } = options;
      embedded = await this.filesEmbedded(caller, options);
      const files = await this.filesShown(caller, [body.body, header, footer]);
      const margins = { header: inMargin(header, files, 'header'), footer: inMargin(footer, files, 'footer') };
      return { html: body.body, ...margins, ...named, paper, landscape, marginsMm, files };
    };
    const printed = await this.printer.print(caller.tenantId, load, caller.budget);
    const { pages } = printed;
    const isChanged = options.archival || embedded.files.length > 0;
    const content = isChanged ? await this.completed(printed, options, embedded) : printed.content;
    const { missingParams, warnings } = body;
    const result = { fileId: file.id, contentLength: content.length, pages, missingParams, warnings };
    if (key.idempotencyKey === null) return this.files.store(file, [content]).then(() => result);
    const space = { tenantId: caller.tenantId, operation: OPERATION };
    const stored = this.files.store(file, [content], (own) => this.keys.storeWithin(own, space, key, result));
    return (await this.keys.unlessTaken(stored)) ? result : undefined;
  }

  /** Adds metadata and embedded files, which Chromium does not write. */
  private completed({ content, title }: PrintedPdf, { archival }: PdfOptions, { files, level }: Attached): Promise<Buffer> {
    const about = { title, producer: PRODUCER, at: new Date(), isArchival: archival, level };
    return this.pdfs.complete(content, about, files);
  }

  private async bodyOf(caller: Caller, input: FileToRender): Promise<RenderingResult> {
    const { templateName, version, template, params, strict, locale, timeZone } = input;
    const given = { params, strict, locale, timeZone };
    const hasName = typeof templateName === 'string';
    if (hasName === Boolean(template))
      throw badInput('input.templateName', 'is required unless input.template is set; send one of the two');
    if (!hasName && typeof version === 'number') throw badInput('input.version', 'requires templateName');
    const rendered = hasName
      ? await this.renderings.render(caller, { ...given, templateName, version })
      : await this.renderings.preview(caller, { ...given, template: template! });
    return asHtml(rendered, hasName ? 'input.templateName' : 'input.template');
  }

  private async marginOf(
    caller: Caller,
    { params, strict, locale, timeZone }: FileToRender,
    options: PdfOptions,
    part: 'headerTemplateName' | 'footerTemplateName',
  ): Promise<string | null> {
    const { [part]: templateName } = options;
    if (typeof templateName !== 'string') return null;
    const given = { params: withPageNumbers(params), strict, locale, timeZone };
    const field = `input.pdf.${part}`;
    const { body } = asHtml(await this.renderings.render(caller, { ...given, templateName }, { name: field }), field);
    if (body.length > MAX_HEADER)
      throw badInput(field, `renders to more than ${MAX_HEADER} characters; make the template smaller`);
    return asMarginHtml(body);
  }

  /** Reads the files to embed. */
  private async filesEmbedded(caller: Caller, options: PdfOptions): Promise<Attached> {
    const { embed } = options;
    if (embed.length === 0) return NONE;
    const read = await this.files.read(caller, embeddedOf(options), MAX_EMBEDDED_BYTES);
    const names = namesOf(embed, read);
    const files = embed.map((id, index) => ({ ...read.get(id)!, name: names[index]! }));
    const at = names.indexOf(INVOICE);
    return { files, level: at === -1 ? null : levelOf(read.get(embed[at]!)!.bytes, `input.pdf.embed.${at}`) };
  }

  /** Reads the files that document and margins show as cid:FILE_ID. */
  private filesShown(caller: Caller, parts: (string | null)[]): Promise<ShownFiles> {
    const ids = new Set(parts.flatMap((html) => (html === null ? [] : shownIn(html))));
    if (ids.size > MAX_SHOWN_FILES)
      throw badInput('input.params', `the HTML shows ${ids.size} files; at most ${MAX_SHOWN_FILES} are allowed`);
    const wanted = [...ids].map((fileId) => ({ fileId, field: `cid:${fileId}` }));
    return ids.size === 0 ? Promise.resolve(new Map()) : this.files.read(caller, wanted, MAX_SHOWN_BYTES);
  }
}

const inMargin = (html: string | null, files: ShownFiles, name: string): string | null =>
  html === null ? null : withFiles(html, files, `the ${name}`, MAX_HEADER_WITH_FILES);

const embeddedOf = ({ embed }: PdfOptions) => embed.map((fileId, index) => ({ fileId, field: `input.pdf.embed.${index}` }));

/** Returns the names of the embedded files. @throws BAD_USER_INPUT for duplicate names */
function namesOf(embed: string[], files: Map<string, { name: string | null }>): string[] {
  const names = embed.map((id) => baseName(files.get(id)!.name) ?? id);
  const again = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (again !== -1) throw badInput(`input.pdf.embed.${again}`, 'has the name of an earlier file; rename one of them');
  return names;
}

/** Returns the name without its folders. */
const baseName = (name: string | null): string | undefined => name?.split('/').at(-1) || undefined;

function asHtml(rendered: RenderingResult, field: string): RenderingResult {
  if (rendered.contentType === ContentType.html) return rendered;
  throw badInput(field, 'must be an html template; this one is plain text');
}
