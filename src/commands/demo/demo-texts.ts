import { mailOf, orderOf } from './company.js';

/** Demo templates and their dependencies, dependencies first. */
export const BRAND = {
  name: 'brand',
  text: `body { margin: 0; background: #f5efe6; color: #2b2118; font-family: Georgia, serif; }
.card { max-width: 560px; margin: 24px auto; padding: 32px; background: #ffffff; border-radius: 8px; }
h1 { margin: 0 0 16px; font-size: 24px; }
td, th { padding: 6px 8px; border-bottom: 1px solid #e7dccb; text-align: left; }
.sum { text-align: right; }
.button { display: inline-block; padding: 10px 20px; background: #7f1d1d; color: #ffffff; border-radius: 6px; text-decoration: none; }
.small { color: #7a6a58; font-size: 13px; }`,
};

export const FOOTER = {
  name: 'footer',
  contentType: 'html',
  body: `<p class="small">Alder &amp; Finch Coffee, 4 Mill Lane. Questions? Write to ${mailOf('hello')}.</p>`,
};

export const FRAME = {
  name: 'frame of emails',
  type: 'email',
  contentType: 'html',
  subject: 'Alder & Finch',
  comment: 'The layout of all emails',
  body: '<div class="card">{% block content %}<p>Content</p>{% endblock %}{% include "footer" %}</div>',
};

const LINES = `<table>
  <tr><th>Coffee</th><th class="sum">Bags</th><th class="sum">Sum</th></tr>
  {% for line in lines %}<tr><td>{{ line.name }}</td><td class="sum">{{ line.quantity | number }}</td><td class="sum">{{ line.sum | currency("EUR") }}</td></tr>
  {% endfor %}
</table>`;

export const CONFIRMATION = {
  name: 'order confirmation',
  type: 'email',
  contentType: 'html',
  subject: 'Your order {{ id }}',
  comment: 'Sent when an order is paid',
  locale: 'en',
  body: `{% block content %}<h1>Thank you, {{ customer.name }}</h1>
<p>We roast your order {{ id }} this week.</p>
${LINES}
<p>Total: <strong>{{ total | currency("EUR") }}</strong></p>
<p><a class="button" href="https://shop.alder-finch.example/orders/{{ id }}">See your order</a></p>{% endblock %}`,
};

/** German translation of the order confirmation. */
export const CONFIRMATION_DE = {
  subject: 'Ihre Bestellung {{ id }}',
  body: CONFIRMATION.body
    .replace('Thank you, ', 'Vielen Dank, ')
    .replace('We roast your order {{ id }} this week.', 'Wir rösten Ihre Bestellung {{ id }} noch diese Woche.')
    .replace('Coffee', 'Kaffee')
    .replace('Bags', 'Tüten')
    .replace('Sum', 'Summe')
    .replace('Total', 'Gesamt')
    .replace('See your order', 'Zur Bestellung'),
};

export const REMINDER = {
  name: 'monthly tasting',
  type: 'email',
  contentType: 'html',
  subject: 'Tasting on {{ date | date("full") }}',
  comment: 'Invitation to all customers',
  locale: 'en',
  body: `{% block content %}<h1>Come and taste</h1>
<p>Dear {{ name }}, on {{ date | date("full") }} we open three new coffees. Bring a friend.</p>{% endblock %}`,
};

export const INVOICE = {
  name: 'invoice',
  type: 'document',
  contentType: 'html',
  comment: 'Printed as PDF',
  locale: 'en',
  body: `<h1>Invoice {{ id }}</h1>
<p>{{ customer.name }}</p>
${LINES}
<p>Total: {{ total | currency("EUR") }}</p>
{% include "footer" %}`,
};

/** Returns the template parameters of an order as JSON. */
export const paramsOf = (number: number): string => JSON.stringify(orderOf(number), undefined, 2);
