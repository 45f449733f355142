// @nightly postgresql: no SQL of its own
import { randomBytes } from 'node:crypto';
import type { Api } from './support/api.js';
import { describeOnS3, freshBucket } from './support/s3.js';
import { TestServer } from './support/server.js';

const MIB = 1024 * 1024;
const CREATE = `mutation($input:CreateFileInput){createFile(input:$input){id contentType maxBytes uploadUrl(expiresIn:600)}}`;
const SHOWN = '{status uploaded contentType contentLength maxBytes error{code message}}';
const COMPLETE = `mutation($input:completeMultipartUploadInput!){completeMultipartUpload(input:$input)${SHOWN}}`;

const bytes = (hex: string): Buffer => Buffer.concat([Buffer.from(hex.replaceAll(' ', ''), 'hex'), Buffer.alloc(5_000)]);
const PNG = bytes('89504e470d0a1a0a 0000000d49484452');
const JPEG = bytes('ffd8ffe000104a46494600010101');
const GIF = Buffer.from('GIF89a');
const ZIP = bytes('504b0304 140000000000');
const MP4 = bytes('00000020 66747970 69736f6d 00000200');
const PDF = Buffer.from('%PDF-1.7\n');
const HTML = Buffer.from('<!DOCTYPE html><script>alert(1)</script>');
const SVG = Buffer.from('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>');
const NO_SVG = 'The content has no root element svg in its first 4100 bytes, as image/svg+xml must';
const TAGGED_MP3 = Buffer.concat([Buffer.from('ID3\x03\0\0\0\x1f\x7f\x7f', 'latin1'), Buffer.alloc(5_000)]);

const IN_A_BUCKET = () => {
  const { endpoint, accessKey, secretKey, bucket } = freshBucket();
  return { S3_ENDPOINT: endpoint, S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey, S3_BUCKET: bucket };
};

/** A server with these settings for the tests of a describe, and calls of its API. */
function files(settings: () => Record<string, string>) {
  let server: TestServer;
  const at = {} as { api: Api };
  beforeAll(async () => {
    server = await TestServer.start(settings());
    at.api = await server.api('file-management');
  });
  afterAll(() => server.stop());
  const urlOfPart = async (upload: object, partNumber: number): Promise<string> => {
    const query = 'mutation($input:generatePartUploadUrlInput!){generatePartUploadUrl(input:$input)}';
    return (await at.api.ask(query, { input: { ...upload, partNumber } })).generatePartUploadUrl;
  };
  return {
    at,
    urlOfPart,
    create: async (input: object) => (await at.api.ask(CREATE, { input })).createFile,
    find: async (id: string) => (await at.api.ask(`{file(ID:"${id}")${SHOWN}}`)).file,
    refusal: (query: string, input: object) => at.api.refusal(query, { input }),
    complete: async (input: object) => (await at.api.ask(COMPLETE, { input })).completeMultipartUpload,
    put: async ({ uploadUrl }: { uploadUrl: string }, body: Buffer, type?: string) => {
      const answer = await fetch(uploadUrl, {
        method: 'PUT',
        body: body as never,
        headers: type ? { 'content-type': type } : {},
      });
      return { status: answer.status, message: answer.status === 200 ? '' : ((await answer.json()) as any).message };
    },
    begin: async ({ id }: { id: string }) => {
      const { initiateMultipartUpload } = await at.api.ask(`mutation{initiateMultipartUpload(input:{fileId:"${id}"}){uploadId}}`);
      return { fileId: id, uploadId: initiateMultipartUpload.uploadId as string };
    },
    sendPart: async (upload: object, partNumber: number, body: Buffer) => {
      const answer = await fetch(await urlOfPart(upload, partNumber), { method: 'PUT', body: body as never });
      return { status: answer.status, part: { partNumber, ETag: answer.headers.get('etag') } };
    },
  };
}

describe('upload rules in a folder', () => rulesOfUploads(() => ({})));
describeOnS3('upload rules in an S3 store', () => rulesOfUploads(IN_A_BUCKET));
describeOnS3('upload rules in an S3 store with a public URL, to which parts go directly', () => {
  rulesOfDirectParts(() => ({ ...IN_A_BUCKET(), S3_PUBLIC_ENDPOINT: freshBucket().endpoint }));
});

function rulesOfUploads(settings: () => Record<string, string>): void {
  const { at, create, find, put, begin, sendPart, complete, refusal } = files(settings);

  describe('maxBytes', () => {
    it('refuses larger content with 413 before it is read, accepts its size, and is shown', async () => {
      const file = await create({ maxBytes: 5 });
      expect(file.maxBytes).toBe(5);
      const refused = await put(file, Buffer.from('123456'));
      expect(refused).toEqual({ status: 413, message: 'This file may have at most 5 bytes' });
      expect(await find(file.id)).toMatchObject({ status: 'uploading', error: null });
      expect((await put(file, Buffer.from('12345'))).status).toBe(200);
      expect((await put(file, Buffer.from('123456'))).status).toBe(413);
      expect(await find(file.id)).toMatchObject({ status: 'done', contentLength: 5, maxBytes: 5 });
    });

    it('is null by default, and accepts more than 2 GiB', async () => {
      expect((await create({})).maxBytes).toBeNull();
      const { id } = await create({ maxBytes: 5 * 1024 ** 4 });
      expect((await find(id)).maxBytes).toBe(5 * 1024 ** 4);
    });

    it('applies to all parts together: a further part is 413, and so is their completion', async () => {
      const file = await create({ maxBytes: 6 * MIB });
      const upload = await begin(file);
      const first = await sendPart(upload, 1, randomBytes(5 * MIB));
      expect(first.status).toBe(200);
      expect((await sendPart(upload, 2, randomBytes(MIB + 1))).status).toBe(413);
      const last = await sendPart(upload, 2, randomBytes(MIB));
      expect(last.status).toBe(200);
      expect(await complete({ ...upload, etags: [first.part, last.part] })).toMatchObject({
        status: 'done',
        contentLength: 6 * MIB,
      });
    });
  });

  describe('accept', () => {
    it.each([
      [['image/*'], 'a.png', 'image/png'],
      [['application/pdf'], 'a.png', 'application/pdf'],
      [['image/*'], 'a.txt', 'application/octet-stream'],
      [['image/png', 'image/gif'], undefined, 'application/octet-stream'],
    ])('%j shows the type that %s has until the content names one: %s', async (accept, name, contentType) => {
      expect((await create({ accept, name })).contentType).toBe(contentType);
    });

    it.each([
      [['image/*'], 'image/png', PNG],
      [['image/*'], 'image/svg+xml', SVG],
      [
        ['image/*'],
        'image/svg+xml',
        Buffer.from('\ufeff<!-- <html> --><!DOCTYPE svg [<!ENTITY a "b">]>\n<svg:svg xmlns:svg="http://www.w3.org/2000/svg">'),
      ],
      [['image/*'], 'image/svg+xml', Buffer.from('\ufeff<svg/>', 'utf16le').swap16()],
      [['image/svg+xml'], 'image/svg+xml', Buffer.from(`<!-- ${'x'.repeat(5_000)} --><svg/>`)],
      [['image/x-of-ours+xml'], 'image/x-of-ours+xml', Buffer.from('<a/>')],
      [['IMAGE/PNG', 'image/jpeg'], 'image/jpeg', JPEG],
      [['image/*', 'application/pdf'], 'application/pdf', PDF],
      [['video/*'], 'video/quicktime', MP4],
      [['audio/*'], 'audio/mpeg', TAGGED_MP3],
      [['text/*'], 'text/csv; charset=utf-8', Buffer.from('naïve,日本語\r\n1,2\t3\n')],
      [['text/plain'], 'text/plain', Buffer.alloc(0)],
      [['text/plain'], 'text/plain', Buffer.from('BMW began as a maker of engines')],
      [['text/plain'], 'text/plain', Buffer.from('\ufeffa', 'utf16le')],
      [['application/json'], 'application/json', Buffer.from('{"a":1}')],
      [['application/*'], 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', ZIP],
      [['application/zip'], 'application/zip', ZIP],
      [['application/x-of-ours'], 'application/x-of-ours', randomBytes(10)],
      [['application/octet-stream'], 'application/octet-stream', PNG],
    ])('%j accepts %s, which becomes the type', async (accept, type, body) => {
      const file = await create({ accept, name: 'any' });
      expect(await put(file, body, type)).toEqual({ status: 200, message: '' });
      expect(await find(file.id)).toMatchObject({ status: 'done', contentType: type, contentLength: body.length, error: null });
      const { downloadUrl } = (await at.api.ask(`{file(ID:"${file.id}"){downloadUrl}}`)).file;
      expect((await fetch(downloadUrl)).headers.get('content-type')).toBe(type);
    });

    it.each([
      [['image/*'], undefined, /^The Content-Type is required; the file accepts image\/\*$/],
      [['image/*'], 'application/pdf', /^The Content-Type must be a type that the file accepts: image\/\*$/],
      [['image/png'], 'image/jpeg', /must be a type that the file accepts: image\/png$/],
      [Array.from({ length: 50 }, (_, n) => `image/x-${n}`), 'image/png', /image\/x-9, …$/],
    ])('%j refuses the type %s with 415 and no change', async (accept, type, message) => {
      const file = await create({ accept });
      const refused = await put(file, PNG, type);
      expect(refused).toEqual({ status: 415, message: expect.stringMatching(message) });
      expect(await find(file.id)).toMatchObject({ status: 'uploading', error: null, contentType: file.contentType });
    });

    it.each([
      [['image/*'], 'image/png', HTML, 'The content does not have the signature of image/png'],
      [['image/*'], 'image/png', Buffer.alloc(0), 'The content does not have the signature of image/png'],
      [['image/*'], 'image/png', PNG.subarray(0, 7), 'The content does not have the signature of image/png'],
      [['image/*'], 'image/png', GIF, 'The content is image/gif, not image/png; send it as image/gif if the file accepts that type'],
      [['image/*'], 'image/svg+xml', Buffer.from('alert(1)'), 'The content does not begin with a tag, as image/svg+xml must'],
      [['image/*'], 'image/svg+xml', HTML, NO_SVG],
      [['image/svg+xml'], 'image/svg+xml', HTML, NO_SVG],
      [['image/*'], 'image/svg+xml', Buffer.from('<rss/>'), NO_SVG],
      [['image/*'], 'image/svg+xml', Buffer.from('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><svg/></html>'), NO_SVG],
      [['image/*'], 'image/svg+xml', Buffer.from('<svgx/>'), NO_SVG],
      [['image/*'], 'image/svg+xml', Buffer.from('\ufeff<html><svg/></html>', 'utf16le'), NO_SVG],
      [['image/*'], 'image/svg+xml', Buffer.from(`<!-- ${'x'.repeat(5_000)} --><svg/>`), NO_SVG],
      [['image/*'], 'image/x-of-ours+xml', Buffer.from('<a/>'), 'image/x-of-ours+xml has no known signature, so a file must accept it by its full name'],
      [['image/*'], 'image/x-invented', HTML, 'image/x-invented has no known signature, so a file must accept it by its full name'],
      [['application/pdf'], 'application/pdf', ZIP, 'The content is application/zip, not application/pdf; send it as application/zip if the file accepts that type'],
      [['text/*'], 'text/plain', PNG, 'The content has control characters, which text/plain must not have'],
    ])('%j refuses content that claims to be %s and is not, with 415 and an error status', async (accept, type, body, message) => {
      const file = await create({ accept });
      expect(await put(file, body, type)).toEqual({ status: 415, message });
      expect(await find(file.id)).toMatchObject({ status: 'error', uploaded: false, error: { code: 'BAD_USER_INPUT', message } });
    }); // prettier-ignore

    it('refuses a large body of another type without storing it, and leaves the earlier content', async () => {
      const file = await create({ accept: ['image/*'] });
      expect((await put(file, JPEG, 'image/jpeg')).status).toBe(200);
      expect((await put(file, randomBytes(3 * MIB), 'image/png')).status).toBe(415);
      expect(await find(file.id)).toMatchObject({
        status: 'error',
        uploaded: true,
        contentType: 'image/jpeg',
        contentLength: JPEG.length,
      });
      expect((await put(file, PNG, 'image/png')).status).toBe(200);
      expect(await find(file.id)).toMatchObject({ status: 'done', contentType: 'image/png', contentLength: PNG.length });
    });

    it('prevents setting the type by hand', async () => {
      const { id } = await create({ accept: ['image/*'] });
      for (const contentType of ['image/png', null]) {
        const update = 'mutation($input:UpdateFileInput){updateFile(input:$input){id}}';
        expect(await refusal(update, { id, contentType })).toMatchObject({
          code: 'FAILED_PRECONDITION',
          field: 'input.contentType',
        });
        expect((await at.api.ask(update, { input: { id, name: 'b' } })).updateFile.id).toBe(id);
      }
    });

    it('requires the type of an upload in parts at its completion, and checks its first bytes', async () => {
      const file = await create({ accept: ['image/*'] });
      const upload = await begin(file);
      const { part } = await sendPart(upload, 1, PNG);
      const input = { ...upload, etags: [part] };
      for (const contentType of [undefined, 'application/pdf']) {
        expect(await refusal(COMPLETE, { ...input, contentType })).toMatchObject({
          code: 'BAD_USER_INPUT',
          field: 'input.contentType',
        });
      }
      const completed = await complete({ ...input, contentType: 'image/png' });
      expect(completed).toMatchObject({ status: 'done', contentType: 'image/png' });
      expect(await complete({ ...input, contentType: 'image/png' })).toEqual(completed);

      const other = await begin(file);
      const { part: html } = await sendPart(other, 1, HTML);
      const refused = await refusal(COMPLETE, { ...other, etags: [html], contentType: 'image/png' });
      expect(refused).toMatchObject({ code: 'BAD_USER_INPUT', message: 'The content does not have the signature of image/png' });
      expect(await find(file.id)).toMatchObject({ status: 'error', uploaded: true, contentType: 'image/png', contentLength: PNG.length });
      expect(await refusal(COMPLETE, { ...other, etags: [html], contentType: 'image/png' })).toMatchObject({ code: 'NOT_FOUND' });
    }); // prettier-ignore

    it('compares a type named when the parts are completed', async () => {
      const file = await create({ name: 'a.pdf' });
      const upload = await begin(file);
      const { part } = await sendPart(upload, 1, PDF);
      const input = { ...upload, etags: [part] };
      expect(await refusal(COMPLETE, { ...input, contentType: 'image/png' })).toMatchObject({ field: 'input.contentType' });
      expect(await complete({ ...input, contentType: 'Application/PDF' })).toMatchObject({ status: 'done', contentType: 'application/pdf' });
    }); // prettier-ignore
  });

  it.each([
    [{ maxBytes: 0 }, 'input.maxBytes', /whole number from 1 to 5497558138880/],
    [{ maxBytes: 1.5 }, 'input.maxBytes', /whole number/],
    [{ maxBytes: 5 * 1024 ** 4 + 1 }, 'input.maxBytes', /5 TiB/],
    [{ accept: [] }, 'input.accept', /1 to 50 types/],
    [{ accept: Array.from({ length: 51 }, (_, n) => `a/${n}`) }, 'input.accept', /1 to 50 types/],
    [{ accept: [null] }, 'input.accept.0', /must not be null/],
    [{ accept: ['*/*'] }, 'input.accept.0', /MIME type/],
    [{ accept: ['*/png'] }, 'input.accept.0', /MIME type/],
    [{ accept: ['im*/png'] }, 'input.accept.0', /MIME type/],
    [{ accept: ['image/png', 'image/p*'] }, 'input.accept.1', /MIME type/],
    [{ accept: ['image/**'] }, 'input.accept.0', /MIME type/],
    [{ accept: ['.png'] }, 'input.accept.0', /MIME type/],
    [{ accept: ['text/plain; charset=utf-8'] }, 'input.accept.0', /without parameters/],
    [{ accept: ['image/*'], contentType: 'image/png' }, 'input.accept', /cannot be combined with contentType/],
    [{ accept: [`a/${'x'.repeat(300)}`] }, 'input.accept.0', /at most 255/],
  ])('%j is refused when the file is created', async (input, field, message) => {
    expect(await refusal(CREATE, input)).toMatchObject({
      code: 'BAD_USER_INPUT',
      field,
      message: expect.stringMatching(message),
    });
  });
}

function rulesOfDirectParts(settings: () => Record<string, string>): void {
  const { create, find, begin, sendPart, urlOfPart, complete, refusal, at } = files(settings);

  it('refuses a further part of a file of its maximum size, and oversized content on completion', async () => {
    const file = await create({ maxBytes: 6 * MIB });
    const upload = await begin(file);
    expect(new URL(await urlOfPart(upload, 1)).origin).toBe(freshBucket().endpoint);
    const [first, second] = [await sendPart(upload, 1, randomBytes(5 * MIB)), await sendPart(upload, 2, randomBytes(2 * MIB))];
    expect([first.status, second.status]).toEqual([200, 200]); // the store knows no rule of a file
    const refused = await refusal(COMPLETE, { ...upload, etags: [first.part, second.part] });
    expect(refused).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('at most 6291456 are allowed') });
    expect(await find(file.id)).toMatchObject({ status: 'error', error: { code: 'PAYLOAD_TOO_LARGE' } });
    expect(await refusal(COMPLETE, { ...upload, etags: [first.part] })).toMatchObject({ code: 'NOT_FOUND' });
  }); // prettier-ignore

  it('checks the type when the parts are completed', async () => {
    const file = await create({ accept: ['image/*'] });
    const [good, bad] = [await begin(file), await begin(file)];
    const [png, html] = [await sendPart(good, 1, PNG), await sendPart(bad, 1, HTML)];
    expect(await complete({ ...good, etags: [png.part], contentType: 'image/png' })).toMatchObject({ contentType: 'image/png' });
    const refused = await refusal(COMPLETE, { ...bad, etags: [html.part], contentType: 'image/png' });
    expect(refused).toMatchObject({ code: 'BAD_USER_INPUT', message: 'The content does not have the signature of image/png' });
    const { downloadUrl } = (await at.api.ask(`{file(ID:"${file.id}"){downloadUrl}}`)).file;
    expect(Buffer.from(await (await fetch(downloadUrl)).arrayBuffer()).equals(PNG)).toBe(true);
  });
}
