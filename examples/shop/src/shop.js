// Operations of the shop, with the five services. Products and orders are in memory; a real shop has a database for them.
import { randomUUID } from 'node:crypto';
import { audit, ConflictError, createClient, verifyWebhook } from '@platform-services/client';

const DAY_MS = 86_400_000;
/** Prefix of the reference of a file that a browser uploads. */
const UPLOADED = 'uploaded:';
const INVOICE = {
  name: 'invoice',
  type: 'document',
  contentType: 'html',
  body: '<h1>Invoice {{ id }}</h1><p>{{ quantity }} × {{ product }}: {{ total | number("#,##0.00") }} EUR</p><p>For {{ customer }}</p>',
  css: 'h1 { color: #135; }',
};

/** An error of the request; `status` is its HTTP status. */
export class RefusedError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function createShop({ url, key }) {
  const platform = createClient({ url, key });
  await platform.rendering.createTemplate({ input: INVOICE }).catch((error) => {
    if (!(error instanceof ConflictError)) throw error; // an earlier start created it
  });
  return new Shop(platform);
}

class Shop {
  #products = new Map();
  #orders = new Map();
  #platform;
  #log;
  #webhookSecrets = [];
  #heard = new Set();

  constructor(platform) {
    this.#platform = platform;
    this.#log = platform.log.writer();
  }

  async addProduct({ name, price } = {}) {
    if (typeof name !== 'string' || !name || !(price > 0))
      throw new RefusedError(400, 'name and price: give a text and a number');
    const product = { id: randomUUID(), name, price, imageId: null };
    await this.#record('product', null, product, 'shop');
    this.#products.set(product.id, product);
    return product;
  }

  /** Stores the image first, so that a product never names a missing one. */
  async setImage(id, image, contentType) {
    const before = this.#find(this.#products, id, 'product');
    const file = await this.#platform.files.upload(image, { name: `${before.name}.png`, contentType, externalReference: id });
    const after = { ...before, imageId: file.id };
    await this.#record('product', before, after, 'shop');
    this.#products.set(id, after);
    return after;
  }

  /** Returns a URL for a browser to upload an image to. The reference names its product. */
  async imageUploadUrl(id) {
    const { name } = this.#find(this.#products, id, 'product');
    const input = { name: `${name}.png`, contentType: 'image/png', externalReference: UPLOADED + id };
    return this.#platform.files.createFile({ input }, { uploadUrl: { expiresIn: 600 } });
  }

  /** Creates a webhook for each complete file. The secret of an earlier start was lost with its memory. */
  async listen(url) {
    for (const { id, url: other } of (await this.#platform.files.webhooks()).items) {
      if (other === url) await this.#platform.files.deleteWebhook({ id });
    }
    const { secret } = await this.#platform.files.createWebhook({ input: { url, events: ['FILE_DONE'] } });
    this.#webhookSecrets = [secret];
  }

  verify(body, headers) {
    return verifyWebhook(body, headers, this.#webhookSecrets);
  }

  /** An event can arrive again. Products are in memory, and so are the ids of events; with a database, both belong there. */
  async hear({ id: eventId, type, data }) {
    if (this.#heard.has(eventId)) return;
    this.#heard.add(eventId);
    if (type !== 'file.done' || !data.externalReference?.startsWith(UPLOADED)) return;
    const before = this.#products.get(data.externalReference.slice(UPLOADED.length));
    if (!before) return;
    const after = { ...before, imageId: data.id };
    await this.#record('product', before, after, 'shop');
    this.#products.set(after.id, after);
  }

  /** The image has a URL that works for ten minutes, so that a browser loads it without a key. */
  async product(id) {
    const product = this.#find(this.#products, id, 'product');
    if (!product.imageId) return { ...product, imageUrl: null };
    const file = await this.#platform.files.file({ ID: product.imageId }, { downloadUrl: { expiresIn: 600 } });
    return { ...product, imageUrl: file.downloadUrl };
  }

  async order({ productId, quantity, customer } = {}) {
    const product = this.#find(this.#products, productId, 'product');
    if (!(quantity > 0) || !customer?.name || !customer.email) {
      throw new RefusedError(400, 'quantity, customer.name and customer.email are needed');
    }
    const order = { id: randomUUID(), product, quantity, total: product.price * quantity, customer, status: 'ordered' };
    await this.#record('order', null, order, customer.name);
    this.#orders.set(order.id, order);
    await this.#sendInvoice(order);
    await this.#notify(order);
    return order;
  }

  async ship(id) {
    const before = this.#find(this.#orders, id, 'order');
    if (before.status === 'shipped') throw new RefusedError(409, `order ${id} was shipped already`);
    const after = { ...before, status: 'shipped' };
    await this.#record('order', before, after, 'shop');
    this.#orders.set(id, after);
    await this.#notify(after);
    return after;
  }

  async history(id) {
    const order = this.#find(this.#orders, id, 'order');
    const changes = [];
    const filter = { documentType: 'order', documentId: order.id };
    const fields = {
      author: { name: true },
      attribute: { id: true },
      attributeOldValue: { raw: true },
      attributeNewValue: { raw: true },
    };
    for await (const log of this.#platform.log.allLogs({ filter }, fields)) {
      changes.push({
        by: log.author.name,
        field: log.attribute.id,
        from: log.attributeOldValue?.raw ?? null,
        to: log.attributeNewValue?.raw ?? null,
      });
    }
    return changes;
  }

  /** The page of a customer opens this URL; the key stays here. */
  async connect(customer) {
    const { connectionUri } = await this.#platform.push.registerRecipient({ input: { recipient: customer } });
    return { connectionUri };
  }

  /** Stores queued records. */
  close() {
    return this.#log.close();
  }

  /** A mail is accepted while the mail server is down, and the key lets a repeated call send only one. */
  async #sendInvoice({ id, product, quantity, total, customer }) {
    const params = JSON.stringify({ id, product: product.name, quantity, total, customer: customer.name });
    const invoice = await this.#platform.rendering.render({ input: { templateName: INVOICE.name, params } }, { body: true });
    await this.#platform.email.sendMessage({
      input: {
        to: [{ address: customer.email, name: customer.name }],
        subject: `Your order of ${product.name}`,
        htmlBody: invoice.body,
        attachments: product.imageId ? [{ fileId: product.imageId, name: `${product.name}.png` }] : [],
        idempotencyKey: `invoice-${id}`,
      },
    });
  }

  /** A message with `expiresAt` waits for a customer whose page is closed. */
  async #notify({ id, status, customer }) {
    const expiresAt = new Date(Date.now() + 7 * DAY_MS).toISOString();
    const message = JSON.stringify({ order: id, status });
    const input = { recipients: [customer.name], message, expiresAt, idempotencyKey: `${status}-${id}` };
    await this.#platform.push.pushMessage({ input });
  }

  /** Records each changed field before the change is made: no change is without its records. */
  async #record(documentType, before, after, author) {
    const records = audit(before, after, { documentType, documentId: after.id, author: { name: author } });
    await Promise.all(records.map((record) => this.#log.write(record)));
  }

  #find(map, id, what) {
    const found = map.get(id);
    if (!found) throw new RefusedError(404, `there is no ${what} ${id}`);
    return found;
  }
}
