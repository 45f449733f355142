import { Field, Float, ID, InputType } from '@nestjs/graphql';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { Name, type NameValue } from '../models/name.scalar.js';
import { DocumentLogSchema } from '../models/schema.js';
import { asCount } from '../../../common/validation/amounts.js';
import { MAX_IDEMPOTENCY_KEY } from '../../../common/idempotency/idempotency-key.js';
import { MAX_COMMENT, MAX_NAME } from '../../../common/validation/text.js';
import { MAX_VALUE } from '../models/limits.js';
import { MAX_RECORDS } from '../models/log-results.model.js';

const registerIn = DocumentLogSchema;
const KEY =
  `1 to ${asCount(MAX_IDEMPOTENCY_KEY)} characters, unique within the tenant and operation. A repeat with the same content ` +
  'returns the first result; other content is a CONFLICT.';
const FREE = `Up to ${asCount(MAX_COMMENT)} characters.`;
const ACTION = `Such as create, update or delete; up to ${asCount(MAX_NAME)} characters.`;
const EVENT_TIME = 'When the event occurred, from year 1 to 9999.';
const REQUIRED = `1 to ${asCount(MAX_NAME)} characters.`;

@InputType('AttributeInput', { registerIn, description: 'The part of a document that the event is about.' })
class LogAttributeInput {
  @Field(() => ID, { nullable: true, description: `Up to ${asCount(MAX_NAME)} characters.` })
  id?: string | null;

  @Field(() => Name, { nullable: true, description: 'Its name, in one language or several.' })
  name?: NameValue | null;
}

@InputType('ValueInput', { registerIn, description: `A value; each form up to ${asCount(MAX_VALUE)} characters.` })
class LogValueInput {
  @Field(() => String, { nullable: true, description: `The value as programs read it, up to ${asCount(MAX_VALUE)} characters.` })
  raw?: string | null;

  @Field(() => String, { nullable: true, description: `The value as people read it, up to ${asCount(MAX_VALUE)} characters.` })
  display?: string | null;
}

@InputType('AuthorInput', { registerIn, description: `Every field up to ${asCount(MAX_NAME)} characters.` })
class LogAuthorInput {
  @Field(() => ID, { nullable: true, description: `Id in the application, up to ${asCount(MAX_NAME)} characters.` })
  id?: string | null;

  @Field(() => String, { nullable: true, description: `Name, as a person reads it, up to ${asCount(MAX_NAME)} characters.` })
  name?: string | null;

  @Field(() => String, {
    nullable: true,
    description: `Such as an admin, user or customer role, up to ${asCount(MAX_NAME)} characters.`,
  })
  profile?: string | null;
}

@InputType('EventSourceInput', { registerIn, description: 'The application or device that an event came from.' })
class EventSourceInput {
  @Field(() => ID, { nullable: true, description: `Up to ${asCount(MAX_NAME)} characters.` })
  id?: string | null;

  @Field(() => Name, { nullable: true, description: 'Its name, in one language or several.' })
  name?: NameValue | null;
}

@InputType('EventLocationInput', { registerIn, description: 'Where an event came from.' })
class EventLocationInput {
  @Field(() => String, { nullable: true, description: `The IP address; up to ${asCount(MAX_NAME)} characters.` })
  id?: string | null;

  @Field(() => [Float], {
    nullable: 'itemsAndList',
    description: 'Longitude (-180 to 180), then latitude (-90 to 90), in decimal degrees.',
  })
  geoLocation?: (number | null)[] | null;
}

/** The fields of a change in each of the operations. */
@InputType({ isAbstract: true })
class ChangeFields {
  @Field(() => LogAttributeInput, { nullable: true, description: 'The part of the document that the event is about.' })
  attribute?: LogAttributeInput | null;

  @Field(() => LogValueInput, { nullable: true, description: 'The value after the event.' })
  attributeNewValue?: LogValueInput | null;

  @Field(() => LogValueInput, { nullable: true, description: 'The value before the event.' })
  attributeOldValue?: LogValueInput | null;

  @Field(() => String, { nullable: true, description: FREE })
  comment?: string | null;

  @Field(() => String, { nullable: true, description: FREE })
  custom1?: string | null;

  @Field(() => String, { nullable: true, description: FREE })
  custom2?: string | null;

  @Field(() => String, { nullable: true, description: KEY })
  idempotencyKey?: string | null;
}

@InputType('CreateLogInput', { registerIn, description: 'One event.' })
export class CreateLogInput extends ChangeFields {
  @Field(() => ID, { description: REQUIRED })
  documentId: string;

  @Field(() => String, { description: REQUIRED })
  documentType: string;

  @Field(() => DateTime, { description: EVENT_TIME })
  dateTime: Date;

  @Field(() => LogAuthorInput, { nullable: true, description: 'Who caused the event.' })
  author?: LogAuthorInput | null;

  @Field(() => EventSourceInput, { nullable: true, description: 'The application or device that the event came from.' })
  eventSource?: EventSourceInput | null;

  @Field(() => EventLocationInput, { nullable: true, description: 'Where the event came from.' })
  eventLocation?: EventLocationInput | null;

  @Field(() => String, { nullable: true, description: ACTION })
  action?: string | null;
}

@InputType('DocumentChangeInput', { registerIn, description: 'One change of the document.' })
export class DocumentChangeInput extends ChangeFields {}

@InputType('CreateSingleDocumentLogsInput', { registerIn, description: 'The changes, and the fields that they share.' })
export class CreateSingleDocumentLogsInput {
  @Field(() => ID, { description: REQUIRED })
  documentId: string;

  @Field(() => String, { description: REQUIRED })
  documentType: string;

  @Field(() => DateTime, { description: EVENT_TIME })
  dateTime: Date;

  @Field(() => [DocumentChangeInput], { description: `1 to ${asCount(MAX_RECORDS)}.` })
  changes: DocumentChangeInput[];

  @Field(() => LogAuthorInput, { nullable: true, description: 'Who caused the changes.' })
  author?: LogAuthorInput | null;

  @Field(() => EventSourceInput, { nullable: true, description: 'The application or device that the changes came from.' })
  eventSource?: EventSourceInput | null;

  @Field(() => EventLocationInput, { nullable: true, description: 'Where the changes came from.' })
  eventLocation?: EventLocationInput | null;

  @Field(() => String, { nullable: true, description: ACTION })
  action?: string | null;
}

@InputType('UpdateLogInput', { registerIn, description: 'An absent field stays as it is; null clears it.' })
export class UpdateLogInput {
  @Field(() => ID, { description: 'Id of the record.' })
  id: string;

  @Field(() => String, { nullable: true, description: FREE })
  comment?: string | null;

  @Field(() => String, { nullable: true, description: FREE })
  custom1?: string | null;

  @Field(() => String, { nullable: true, description: FREE })
  custom2?: string | null;
}
