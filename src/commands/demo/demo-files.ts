import { CUSTOMERS, orderOf, PEOPLE, PRODUCTS } from './company.js';

/** Demo file with its content. */
export interface DemoFile {
  name: string;
  contentType: string;
  content: string;
  comment?: string;
  author: { id: string; name: string };
  public?: boolean;
  externalReference?: string;
  attributes?: { name: string; value: string }[];
}

const [MARA, JONAS, PRIYA, TOMAS] = PEOPLE;

export function demoFiles(): DemoFile[] {
  return [...pictures(), ...invoices(), sales(), handbook(), priceList(), opening()];
}

const pictures = (): DemoFile[] =>
  PRODUCTS.map(({ name, colour }) => ({
    name: `products/${name.toLowerCase().replaceAll(' ', '-')}.svg`,
    contentType: 'image/svg+xml',
    content: bag(name, colour),
    author: TOMAS,
    public: true,
    comment: 'For the shop and for emails',
    attributes: [{ name: 'product', value: name }],
  }));

/** Draws a bag of coffee as SVG. */
const bag = (
  name: string,
  colour: string,
): string => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 480" width="640" height="480">
  <rect width="640" height="480" fill="#f5efe6"/>
  <path d="M220 80h200l24 330a30 30 0 0 1-30 30H226a30 30 0 0 1-30-30z" fill="${colour}"/>
  <path d="M220 80h200l4 44H216z" fill="#00000033"/>
  <rect x="236" y="210" width="168" height="120" rx="8" fill="#fffaf2"/>
  <text x="320" y="262" font-family="Georgia, serif" font-size="15" text-anchor="middle" fill="#2b2118">${name}</text>
  <text x="320" y="296" font-family="Georgia, serif" font-size="14" text-anchor="middle" fill="#7a6a58">Alder &amp; Finch, 250 g</text>
</svg>
`;

const invoices = (): DemoFile[] =>
  [1040, 1041, 1042, 1043, 1044, 1045].map((number) => {
    const { id, customer, lines, total } = orderOf(number);
    const rows = lines.map(
      ({ name, quantity, sum }) => `${String(quantity).padStart(3)} × ${name.padEnd(24)} ${sum.toFixed(2).padStart(8)} EUR`,
    );
    return {
      name: `invoices/2026/${customer.name}/${id}.txt`,
      contentType: 'text/plain',
      content: [`Invoice ${id}`, customer.name, '', ...rows, '', `Total ${total.toFixed(2)} EUR`, ''].join('\n'),
      author: PRIYA,
      externalReference: id,
      attributes: [
        { name: 'customer', value: customer.name },
        { name: 'total', value: total.toFixed(2) },
      ],
    };
  });

function sales(): DemoFile {
  const rows = Array.from({ length: 60 }, (_, at) => orderOf(1000 + at)).map(({ id, customer, total }) =>
    [id, customer.name, total.toFixed(2), 'EUR'].join(';'),
  );
  const content = ['order;customer;total;currency', ...rows].join('\n');
  return {
    name: 'finance/sales-2026.csv',
    contentType: 'text/csv',
    content,
    author: PRIYA,
    comment: 'Exported on the first of the month',
  };
}

const handbook = (): DemoFile => ({
  name: 'handbook/welcome.md',
  contentType: 'text/markdown',
  author: MARA,
  content: `# Welcome to Alder & Finch

We roast on **Tuesdays and Fridays**. Orders that arrive before noon leave the same day.

| who          | asks about        |
| ------------ | ----------------- |
| Mara Finch   | anything          |
| Jonas Alder  | roasting, quality |
| Priya Nair   | invoices, taxes   |
| Tomás Ruiz   | shop, pictures    |

1. Read the safety sheet of the roaster.
2. Ask Jonas for a key.
3. Have a coffee.
`,
});

const priceList = (): DemoFile => ({
  name: 'products/prices.json',
  contentType: 'application/json',
  author: TOMAS,
  public: true,
  content: JSON.stringify({ currency: 'EUR', products: PRODUCTS.map(({ name, price }) => ({ name, price })) }),
});

const opening = (): DemoFile => ({
  name: 'shop/opening-hours.txt',
  contentType: 'text/plain',
  author: JONAS,
  content: `Monday to Friday 8:00 to 18:00\nSaturday 9:00 to 14:00\n\nWe deliver to ${CUSTOMERS.map(({ name }) => name).join(', ')}.\n`,
});
