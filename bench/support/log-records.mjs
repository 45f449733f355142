// Log records as an application writes them.
export const CREATE_BATCH = 'mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{itemId error{message}}}}';

export function record(index) {
  return {
    documentId: `document-${index % 3_000}`,
    documentType: `type-${index % 10}`,
    dateTime: new Date(Date.UTC(2024, 0, 1) + index * 1000).toISOString(),
    attribute: { id: `attribute-${index % 40}`, name: { en: 'Price', de: 'Preis' } },
    attributeNewValue: { raw: String(index), display: `${index} EUR` },
    attributeOldValue: { raw: '0', display: '0 EUR' },
    author: { id: `user-${index % 200}`, name: 'Ada Lovelace', profile: 'admin' },
    eventSource: { id: 'app', name: 'Application' },
    action: 'update',
    comment: 'Changed on request of the customer',
    custom1: `order-${index}`,
  };
}
