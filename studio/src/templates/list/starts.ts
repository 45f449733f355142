import type { ContentType, TemplateType } from '../model/template';

/** A starting point for a new template. */
export interface Start {
  word: string;
  about: string;
  /** Suggested name. */
  name: string;
  /** Fixed by the starting point, or chosen by the writer. */
  kind: { type: TemplateType; contentType: ContentType } | undefined;
  subject: string;
  body: string;
  css: string;
  sample: string;
}

const RECEIPT_BODY = `<!doctype html>
<html lang="en">
  <body>
    <div class="page">
      <p class="brand">{{ shop.name }}</p>
      <h1>Thank you, {{ customer.name | default("and welcome") }}</h1>
      <p>We received your payment of {{ order.total | number("#,##0.00") }} {{ order.currency }} on {{ order.paidAt | date("d MMMM yyyy") }}. This is your receipt for order {{ order.number }}.</p>
      <table>
        <tr><th>Item</th><th class="amount">Amount</th></tr>
        {%- for item in items %}
        <tr>
          <td>{{ item.name }}{% if item.quantity > 1 %} × {{ item.quantity }}{% endif %}</td>
          <td class="amount">{{ item.price | number("#,##0.00") }}</td>
        </tr>
        {%- endfor %}
        <tr class="total"><td>Paid</td><td class="amount">{{ order.total | number("#,##0.00") }} {{ order.currency }}</td></tr>
      </table>
      <p><a class="button" href="{{ order.url }}">See your order</a></p>
      <p class="small">Something not right? Reply to this email and a person answers.</p>
    </div>
  </body>
</html>
`;
const RECEIPT_CSS = `body { margin: 0; background: #f5f5f3; }
.page { max-width: 560px; margin: 0 auto; padding: 32px; background: #ffffff; color: #1d1d1b; font: 15px/1.5 Helvetica, Arial, sans-serif; }
.brand { margin: 0 0 24px; color: #5c5c57; font-size: 13px; letter-spacing: 0.04em; text-transform: uppercase; }
h1 { margin: 0 0 12px; font-size: 24px; line-height: 1.25; }
table { width: 100%; margin: 24px 0; border-collapse: collapse; }
th, td { padding: 10px 0; border-bottom: 1px solid #e4e4df; text-align: left; }
th { color: #5c5c57; font-size: 13px; font-weight: normal; }
.amount { text-align: right; white-space: nowrap; }
.total td { border-bottom: 0; font-weight: bold; }
.button { display: inline-block; padding: 11px 20px; border-radius: 6px; color: #ffffff; background: #23513f; text-decoration: none; }
.small { margin: 24px 0 0; color: #5c5c57; font-size: 13px; }
@media (max-width: 480px) { .page { padding: 24px 16px; } }
`;
const RECEIPT_SAMPLE = {
  shop: { name: 'Northside Supply' },
  customer: { name: 'Ada Lovelace' },
  order: { number: 'N-20417', total: 84.5, currency: 'EUR', paidAt: '2026-11-20', url: 'https://example.com/orders/N-20417' },
  items: [
    { name: 'Desk lamp, warm white', quantity: 1, price: 59.5 },
    { name: 'Notebook, dotted', quantity: 2, price: 25 },
  ],
};

const INVOICE_BODY = `<!doctype html>
<html lang="en">
  <body>
    <main class="sheet">
      <div class="head">
        <div>
          <h1>Invoice</h1>
          <p>{{ invoice.number }}</p>
        </div>
        <p class="right">{{ seller.name }}<br>{{ seller.address | nl2br }}</p>
      </div>
      <div class="head">
        <p><span class="label">Bill to</span><br>{{ customer.name }}<br>{{ customer.address | nl2br }}</p>
        <p class="right">
          <span class="label">Date</span> {{ invoice.date | date("d MMMM yyyy") }}<br>
          <span class="label">Due</span> {{ invoice.due | date("d MMMM yyyy") }}
        </p>
      </div>
      <table>
        <tr><th>Description</th><th class="amount">Quantity</th><th class="amount">Price</th><th class="amount">Amount</th></tr>
        {%- for item in items %}
        <tr>
          <td>{{ item.name }}</td>
          <td class="amount">{{ item.quantity }}</td>
          <td class="amount">{{ item.price | number("#,##0.00") }}</td>
          <td class="amount">{{ item.amount | number("#,##0.00") }}</td>
        </tr>
        {%- else %}
        <tr><td colspan="4">Nothing to pay</td></tr>
        {%- endfor %}
        <tr><td colspan="3" class="amount">Subtotal</td><td class="amount">{{ invoice.subtotal | number("#,##0.00") }}</td></tr>
        <tr><td colspan="3" class="amount">Tax</td><td class="amount">{{ invoice.tax | number("#,##0.00") }}</td></tr>
        <tr class="total"><td colspan="3" class="amount">Total {{ invoice.currency }}</td><td class="amount">{{ invoice.total | number("#,##0.00") }}</td></tr>
      </table>
      {%- if invoice.note %}
      <p>{{ invoice.note }}</p>
      {%- endif %}
      <p class="foot">Please pay to {{ seller.iban }}, and name {{ invoice.number }}.</p>
    </main>
  </body>
</html>
`;
const INVOICE_CSS = `@page { size: A4; margin: 20mm; }
body { margin: 0; color: #1d1d1b; font: 14px/1.5 Helvetica, Arial, sans-serif; }
.sheet { max-width: 720px; margin: 0 auto; padding: 40px 32px; }
.head { display: flex; justify-content: space-between; gap: 24px; margin-bottom: 32px; }
.head p { margin: 0; }
.right { text-align: right; }
h1 { margin: 0; font-size: 28px; font-weight: 600; letter-spacing: -0.01em; }
.label { color: #66665f; font-size: 12px; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 9px 8px; border-bottom: 1px solid #e4e4df; text-align: left; }
th { border-bottom-color: #1d1d1b; font-size: 12px; }
.amount { text-align: right; }
.total td { border-bottom: 0; font-size: 16px; font-weight: bold; }
.foot { margin-top: 32px; color: #66665f; font-size: 12px; }
`;
const INVOICE_SAMPLE = {
  seller: { name: 'Northside Supply Ltd', address: '12 Canal Street\nManchester M1 3HE', iban: 'GB33 BUKB 2020 1555 5555 55' },
  customer: { name: 'Lovelace & Co', address: '8 St James Square\nLondon SW1Y 4JH' },
  invoice: {
    number: '2026-1001',
    date: '2026-11-23',
    due: '2026-12-23',
    subtotal: 1_291.5,
    tax: 258.3,
    total: 1_549.8,
    currency: 'EUR',
    note: '',
  },
  items: [
    { name: 'Chair, oak', quantity: 3, price: 400, amount: 1_200 },
    { name: 'Lamp <warm>', quantity: 1, price: 91.5, amount: 91.5 },
  ],
};

const written = (sample: object) => JSON.stringify(sample, undefined, 2);

export const STARTS = {
  empty: {
    word: 'Empty',
    about: 'Start from scratch',
    name: '',
    kind: undefined,
    subject: '',
    body: '',
    css: '',
    sample: '',
  },
  receipt: {
    word: 'Receipt email',
    about: 'An HTML email with a table of items and a button',
    name: 'receipt',
    kind: { type: 'email', contentType: 'html' },
    subject: 'Your receipt for order {{ order.number }}',
    body: RECEIPT_BODY,
    css: RECEIPT_CSS,
    sample: written(RECEIPT_SAMPLE),
  },
  invoice: {
    word: 'Invoice document',
    about: 'An HTML document on a sheet of A4',
    name: 'invoice',
    kind: { type: 'document', contentType: 'html' },
    subject: '',
    body: INVOICE_BODY,
    css: INVOICE_CSS,
    sample: written(INVOICE_SAMPLE),
  },
} as const satisfies Record<string, Start>;

export type StartName = keyof typeof STARTS;
