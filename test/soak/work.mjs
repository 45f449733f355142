// The work of a soak's applications, and its rules; that of mails is in mails.mjs. Each has `step`, which does one thing and remembers what
// was answered, and `problems`, which compares that with what is stored.
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 300;
export const PAGE = 1_000;

/** Sends an operation with an idempotency key until it is answered, or until its caller is closed. */
export async function insist(caller, work) {
  while (!caller.isClosed) {
    const done = await work().catch(() => undefined);
    if (done) return done;
    await sleep(PAUSE_MS);
  }
  throw new Error('the caller is closed');
}

/** Returns everything in a list, page by page. */
export async function* pages(read) {
  for (let nextToken = null; ;) {
    const page = await read(nextToken);
    yield* page.items;
    if (!page.nextToken) return;
    ({ nextToken } = page);
  }
}

const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Uploads files, half of them in a second version, and reads some back. A name is used for one attempt only. */
export class Files {
  name = 'files';
  #names = new Set();
  #stored = new Map();

  constructor(caller) {
    this.caller = caller;
  }

  async step() {
    const name = randomUUID();
    this.#names.add(name);
    const mutation = 'mutation($name:String!){createFile(input:{name:$name}){id uploadUrl}}';
    const { createFile } = await this.caller.ask('file-management', mutation, { name });
    const file = { name, hashes: [] };
    this.#stored.set(createFile.id, file);
    for (let version = randomInt(2); version >= 0; version--) {
      const content = randomBytes(randomInt(1, 100_000));
      // Without a response the content may be stored or not.
      file.hashes.push(hash(content));
      await this.caller.send('PUT', createFile.uploadUrl, { 'content-length': content.length }, content);
      file.hashes = file.hashes.slice(-1);
      file.isUploaded = true;
    }
    await this.#read(createFile.id, file);
  }

  async #read(id, { hashes, isUploaded }) {
    const { file } = await this.caller.ask('file-management', '{file(ID:"' + id + '"){name status downloadUrl}}');
    if (!file) return `file ${id} is lost`;
    if (!isUploaded) return undefined;
    if (file.status !== 'done') return `the content of file ${id} is lost`;
    const { body } = await this.caller.send('GET', file.downloadUrl);
    return hashes.includes(hash(body)) ? undefined : `file ${id} has other bytes than were uploaded`;
  }

  async problems() {
    const found = [];
    for (const [id, file] of this.#stored) found.push(await this.#read(id, file));
    const query = 'query($nextToken:String){files(limit:1000,nextToken:$nextToken){items{id name contentLength} nextToken}}';
    const seen = new Set();
    let bytes = 0;
    for await (const { name, contentLength } of pages(
      async (nextToken) => (await this.caller.ask('file-management', query, { nextToken })).files,
    )) {
      if (seen.has(name)) found.push(`the file named ${name} is there twice`);
      if (!this.#names.has(name)) found.push(`a file named ${name} was never created`);
      seen.add(name);
      bytes += contentLength ?? 0;
    }
    const { storageUsed } = await this.caller.ask('file-management', '{storageUsed{fileCount fileSize}}');
    if (storageUsed.fileCount !== seen.size) found.push(`${storageUsed.fileCount} files are counted, ${seen.size} are there`);
    if (storageUsed.fileSize !== bytes) found.push(`${storageUsed.fileSize} bytes are counted, ${bytes} are there`);
    return { checked: this.#stored.size, found: found.filter(Boolean) };
  }
}

/** Renders a template with a loop. The result must be right whenever there is one. */
export class Renderings {
  name = 'renderings';
  #count = 0;
  #wrong = [];

  constructor(caller) {
    this.caller = caller;
  }

  async prepare() {
    const body = '{% for item in items %}<li>{{ item }}</li>{% endfor %}';
    const mutation = `mutation($body:String!){createTemplate(input:{name:"list",type:document,contentType:html,body:$body}){id}}`;
    await this.caller.ask('document-rendering', mutation, { body });
  }

  async step() {
    const items = Array.from({ length: randomInt(1, 20) }, () => randomUUID());
    const query = 'query($params:String!){render(input:{templateName:"list",params:$params}){body}}';
    const { render } = await this.caller.ask('document-rendering', query, { params: JSON.stringify({ items }) });
    this.#count += 1;
    const expected = items.map((item) => `<li>${item}</li>`).join('');
    if (!render.body.includes(expected)) this.#wrong.push(`rendered ${render.body}, not ${expected}`);
  }

  async problems() {
    return { checked: this.#count, found: this.#wrong };
  }
}

/** Pushes to recipients that come and go. Everything answered must arrive, and DELIVERED must be true. */
export class Pushes {
  name = 'pushes';
  #pushed = new Map();

  constructor(caller, recipients) {
    this.caller = caller;
    this.recipients = recipients;
  }

  step() {
    return this.#push(() => this.caller);
  }

  /** Pushes through one node, and repeats through the next until one answers. */
  stubbornStep(callers) {
    let turn = randomInt(callers.length);
    return this.#push(() => callers[turn++ % callers.length]);
  }

  /** Answered messages so far, each with its recipient. */
  answered() {
    return [...this.#pushed];
  }

  /** Messages that have not arrived yet. */
  missing(pushed) {
    const byName = new Map(this.recipients.map((recipient) => [recipient.name, recipient]));
    return pushed.filter(([id, name]) => !byName.get(name).received.has(id)).map(([id]) => id);
  }

  async #push(nextCaller) {
    const { name } = this.recipients[randomInt(this.recipients.length)];
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const input = { recipients: [name], message: randomUUID(), expiresAt, idempotencyKey: randomUUID() };
    const mutation = 'mutation($input:MessageInput!){pushMessage(input:$input){item{id} error{message}}}';
    const { pushMessage } = await insist(this.caller, () => nextCaller().ask('websockets-manager', mutation, { input }));
    this.#pushed.set(pushMessage.item.id, name);
  }

  async problems() {
    const found = [];
    const byName = new Map(this.recipients.map((recipient) => [recipient.name, recipient]));
    const states = await this.#settled();
    for (const [id, name] of this.#pushed) {
      if (!byName.get(name).received.has(id))
        found.push(`message ${id} to ${name} is ${states.get(id)?.status}, and did not arrive`);
      if (states.get(id)?.status !== 'DELIVERED') found.push(`message ${id} arrived, and is ${states.get(id)?.status ?? 'lost'}`);
    }
    for (const [id, { status, recipient }] of states) {
      if (!this.#pushed.has(id)) found.push(`message ${id} was never answered, in spite of its idempotency key`);
      if (status === 'DELIVERED' && !byName.get(recipient).received.has(id))
        found.push(`message ${id} is DELIVERED, and did not arrive`);
    }
    return { checked: this.#pushed.size, found };
  }

  /** Returns all messages, once none is queued any more, or after 30 s. */
  async #settled() {
    for (const end = Date.now() + 30_000; ; await sleep(500)) {
      const states = new Map();
      const query = `query($nextToken:String){messages(limit:${PAGE},nextToken:$nextToken){items{id recipient status} nextToken}}`;
      const read = async (nextToken) => (await this.caller.ask('websockets-manager', query, { nextToken })).messages;
      for await (const item of pages(read)) states.set(item.id, item);
      if (Date.now() > end || ![...states.values()].some(({ status }) => status === 'PENDING')) return states;
    }
  }
}

/** Writes records of documents, one by one and in batches. Each must be there once, and the log must verify. */
export class Records {
  name = 'log records';
  #written = new Map();
  checkpoints = [];

  constructor(caller) {
    this.caller = caller;
  }

  #input() {
    const [documentId, raw] = [randomUUID(), randomUUID()];
    return {
      documentId,
      documentType: 'order',
      dateTime: new Date().toISOString(),
      attributeNewValue: { raw },
      idempotencyKey: randomUUID(),
    };
  }

  async step() {
    const inputs = Array.from({ length: randomInt(1, 6) }, () => this.#input());
    const mutation = 'mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{itemId error{message}}}}';
    await insist(this.caller, async () => {
      const { createLogBatch } = await this.caller.ask('document-log', mutation, { input: inputs });
      if (createLogBatch.results.some(({ error }) => error)) throw new Error(JSON.stringify(createLogBatch));
      return true;
    });
    for (const { documentId, attributeNewValue } of inputs) this.#written.set(documentId, attributeNewValue.raw);
    if (randomInt(20) > 0) return;
    const { latestSeal } = await this.caller.ask('document-log', '{latestSeal}');
    if (latestSeal) this.checkpoints = [...this.checkpoints.slice(-9), latestSeal];
  }

  async problems() {
    const found = [];
    const seen = new Map();
    const query = `query($nextToken:String){logs(limit:${PAGE},nextToken:$nextToken){items{documentId attributeNewValue{raw}} nextToken}}`;
    const read = async (nextToken) => (await this.caller.ask('document-log', query, { nextToken })).logs;
    for await (const { documentId, attributeNewValue } of pages(read)) {
      if (seen.has(documentId)) found.push(`the record of ${documentId} is there twice`);
      seen.set(documentId, attributeNewValue.raw);
    }
    for (const [documentId, raw] of this.#written) {
      if (seen.get(documentId) !== raw) found.push(`the record of ${documentId} is ${seen.get(documentId)}, not ${raw}`);
    }
    if (seen.size !== this.#written.size) found.push(`${seen.size} records are there, ${this.#written.size} were answered`);
    for (const checkpoint of [null, ...this.checkpoints]) found.push(await this.#verify(checkpoint, seen.size));
    return { checked: this.#written.size, found: found.filter(Boolean) };
  }

  async #verify(checkpoint, count) {
    const query = 'query($checkpoint:String){verifyLogs(checkpoint:$checkpoint){valid reason checkedRecords unsealedRecords}}';
    for (const end = Date.now() + 30_000; ; await sleep(500)) {
      const { verifyLogs } = await this.caller.ask('document-log', query, { checkpoint });
      const { valid, reason, checkedRecords, unsealedRecords } = verifyLogs;
      if (!valid) return `the log does not verify: ${reason}`;
      if (unsealedRecords === 0 && checkedRecords === count) return undefined;
      if (Date.now() > end) return `${checkedRecords} of ${count} records are verified, ${unsealedRecords} are not sealed`;
    }
  }
}
