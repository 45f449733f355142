import { type CreateLogInput, MAX_VALUE } from '../../src/modules/document-log/logs/log.inputs.js';
import { violationIn } from '../../src/modules/document-log/logs/violations.js';
import { canonicalEdit, canonicalLog, personalOfEdit, personalOfLog } from '../../src/modules/document-log/records/canonical.js';
import { MAX_LANGUAGES } from '../../src/modules/document-log/models/name.scalar.js';
import { MAX_LEAF_BYTES, MAX_PERSONAL_BYTES } from '../../src/modules/document-log/verification/seal.model.js';
import { contentOf } from '../../src/modules/document-log/logs/log-record.js';
import { MAX_COMMENT, MAX_NAME } from '../../src/common/base/text.js';

const UUID = '018f0000-0000-7000-8000-000000000000';
const HASH = 'x'.repeat(43);

/** A text whose JSON is the longest: each character is escaped, and its backslash once more within details. */
const longest = (length: number): string => '\u0001'.repeat(length);
const inAllLanguages = () =>
  Object.fromEntries(Array.from({ length: MAX_LANGUAGES }, (_, n) => [longest(MAX_NAME - 3) + String(n).padStart(3, '0'), longest(MAX_NAME)])); // prettier-ignore

describe('the largest record that is accepted', () => {
  const value = { raw: longest(MAX_VALUE), display: longest(MAX_VALUE) };
  const name = longest(MAX_NAME);
  const comment = longest(MAX_COMMENT);
  const input = {
    documentId: name,
    documentType: name,
    dateTime: new Date(),
    attribute: { id: name, name: inAllLanguages() },
    attributeNewValue: value,
    attributeOldValue: value,
    author: { id: name, name, profile: name },
    eventSource: { id: name, name: inAllLanguages() },
    eventLocation: { id: name, geoLocation: [-179.1234567890123, -89.1234567890123] },
    comment,
    custom1: comment,
    custom2: comment,
    action: name,
  } as unknown as CreateLogInput;
  const record = { ...contentOf(UUID, input), personalHash: HASH };
  const edit = { id: UUID, tenantId: UUID, logId: UUID, dateTime: new Date(), field: 'custom1', newValue: comment, oldValue: comment, personalHash: HASH }; // prettier-ignore

  it('is accepted', () => expect(violationIn(input)).toBeUndefined());

  it('has a leaf and personal members as long as the schema says, and hardly shorter', () => {
    const leaf = Buffer.byteLength(canonicalLog(record as never));
    const personal = Buffer.byteLength(personalOfLog(record as never));
    expect(leaf).toBeLessThanOrEqual(MAX_LEAF_BYTES);
    expect(leaf).toBeGreaterThan(0.9 * MAX_LEAF_BYTES);
    expect(personal).toBeLessThanOrEqual(MAX_PERSONAL_BYTES);
    expect(personal).toBeGreaterThan(0.9 * MAX_PERSONAL_BYTES);
  });

  it('has edits within the same bounds', () => {
    expect(Buffer.byteLength(canonicalEdit(edit as never))).toBeLessThanOrEqual(MAX_LEAF_BYTES);
    expect(Buffer.byteLength(personalOfEdit(edit as never))).toBeLessThanOrEqual(MAX_PERSONAL_BYTES);
  });
});
