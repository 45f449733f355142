/** Fictitious company that sells coffee, with names and addresses reserved for examples (RFC 2606). */
const MAIL_DOMAIN = 'alder-finch.example';
export const DAY_MS = 86_400_000;

export const PEOPLE = [
  { id: 'mara', name: 'Mara Finch' },
  { id: 'jonas', name: 'Jonas Alder' },
  { id: 'priya', name: 'Priya Nair' },
  { id: 'tomas', name: 'Tomás Ruiz' },
] as const;

export const CUSTOMERS = [
  { name: 'Café Lumen', address: 'orders@cafe-lumen.example', locale: 'de' },
  { name: 'Harbour Bakery', address: 'hello@harbour-bakery.example', locale: 'en' },
  { name: 'Kiosk Twelve', address: 'team@kiosk-twelve.example', locale: 'en' },
  { name: 'Studio Nord', address: 'office@studio-nord.example', locale: 'de' },
  { name: 'Hotel Miramar', address: 'kitchen@hotel-miramar.example', locale: 'en' },
] as const;
/** Customer whose address no longer accepts mail. */
export const GONE = { name: 'The Reading Room', address: 'books@reading-room.example' } as const;

export const PRODUCTS = [
  { name: 'Morning Blend', price: 14.5, colour: '#b45309' },
  { name: 'Night Shift Decaf', price: 15.2, colour: '#1e3a8a' },
  { name: 'Harvest Espresso', price: 16.9, colour: '#7f1d1d' },
  { name: 'Single Origin Huila', price: 18.4, colour: '#166534' },
] as const;

export const mailOf = (id: string): string => `${id}@${MAIL_DOMAIN}`;

/** Returns the order of a number, always with the same customer and items. */
export function orderOf(number: number) {
  const customer = CUSTOMERS[number % CUSTOMERS.length]!;
  const lines = [0, 1].map((line) => {
    const { name, price } = PRODUCTS[(number + line) % PRODUCTS.length]!;
    const quantity = ((number * (line + 3)) % 9) + 1;
    return { name, quantity, price, sum: Math.round(price * quantity * 100) / 100 };
  });
  const total = Math.round(lines.reduce((sum, line) => sum + line.sum, 0) * 100) / 100;
  return { id: `A-${number}`, customer, lines, total };
}
