import { Field, Float, ID, ObjectType } from '@nestjs/graphql';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { Name, type NameValue } from './name.scalar.js';
import { DocumentLogSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = DocumentLogSchema;

/** The most edits of one record. */
export const MAX_EDITS = 1_000;
/** The most attributes of a document that documentState returns. */
export const MAX_DOCUMENT_ATTRIBUTES = 10_000;
/** Longitude and latitude. */
export const COORDINATES = 2;

@ObjectType('Attribute', { registerIn, description: 'The part of the document that the event is about.' })
export class LogAttribute {
  @Field(() => ID, { nullable: true, description: 'Id in the application.' })
  id?: string | null;

  @Field(() => Name, { nullable: true, description: 'Its name, in one language or several.' })
  name?: NameValue | null;
}

@ObjectType('Value', { registerIn, description: 'A value of an attribute, as programs and as people read it.' })
export class LogValue {
  @Field(() => String, { nullable: true, description: 'The raw form.' })
  raw?: string | null;

  @Field(() => String, { nullable: true, description: 'The form for showing in an application.' })
  display?: string | null;
}

@ObjectType('Author', { registerIn, description: 'Who caused the event, as the application gave it.' })
export class LogAuthor {
  @Field(() => ID, { nullable: true, description: 'Id in the application.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'Name, as a person reads it.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'Such as an admin, user or customer role.' })
  profile?: string | null;
}

@ObjectType('EventSource', { registerIn, description: 'The application or device that the event came from.' })
export class EventSource {
  @Field(() => ID, { nullable: true, description: 'Id in the application.' })
  id?: string | null;

  @Field(() => Name, { nullable: true, description: 'Its name, in one language or several.' })
  name?: NameValue | null;
}

@ObjectType('EventLocation', { registerIn, description: 'Where an event came from.' })
export class EventLocation {
  @Field(() => String, { nullable: true, description: 'The IP address.' })
  id?: string | null;

  @MaxItems(COORDINATES)
  @Field(() => [Float], { nullable: 'itemsAndList', description: 'Longitude, then latitude, in decimal degrees.' })
  geoLocation?: (number | null)[] | null;
}

@ObjectType('LogEdit', { registerIn, description: 'One field that updateLog changed.' })
export class LogEdit {
  @Field(() => ID, { nullable: true, description: 'UUIDv7; logProof proves the edit by it.' })
  id: string;

  @Field(() => DateTime, { nullable: true, description: 'When it was changed.' })
  dateTime: Date;

  @Field(() => String, { nullable: true, description: 'comment, custom1 or custom2.' })
  field: string;

  @Field(() => String, { nullable: true, description: 'The text before the change; null when there was none.' })
  oldValue: string | null;

  @Field(() => String, { nullable: true, description: 'The text after the change; null when it was cleared.' })
  newValue: string | null;
}

@ObjectType('Log', { registerIn, description: 'One event. Nothing but comment, custom1 and custom2 ever changes.' })
export class Log {
  @Field(() => ID, { nullable: true, description: 'UUIDv7.' })
  id: string;

  @Field(() => ID, { nullable: true, description: 'Id of the document in the application.' })
  documentId: string;

  @Field(() => String, { nullable: true, description: 'Kind of the document in the application.' })
  documentType: string;

  @Field(() => ID, { nullable: true, description: 'The id of attribute.' })
  attributeId: string | null;

  @Field(() => LogAttribute, { nullable: true, description: 'The part of the document that the event is about.' })
  attribute?: LogAttribute | null;

  @Field(() => LogValue, { nullable: true, description: 'The value after the event.' })
  attributeNewValue?: LogValue | null;

  @Field(() => LogValue, { nullable: true, description: 'The value before the event.' })
  attributeOldValue?: LogValue | null;

  @Field(() => DateTime, { nullable: true, description: 'When the event occurred.' })
  dateTime: Date;

  @Field(() => ID, { nullable: true, description: 'The id of author.' })
  authorId: string | null;

  @Field(() => LogAuthor, { nullable: true, description: 'Who caused the event.' })
  author?: LogAuthor | null;

  @Field(() => EventSource, { nullable: true, description: 'The application or device that the event came from.' })
  eventSource?: EventSource | null;

  @Field(() => EventLocation, { nullable: true, description: 'Where the event came from.' })
  eventLocation?: EventLocation | null;

  @Field(() => String, { nullable: true, description: 'Free text; updateLog can change it.' })
  comment: string | null;

  @Field(() => String, { nullable: true, description: 'Free text of the application; updateLog can change it.' })
  custom1: string | null;

  @Field(() => String, { nullable: true, description: 'Free text of the application; updateLog can change it.' })
  custom2: string | null;

  @Field(() => String, { nullable: true, description: 'The kind of event, such as create, update or delete.' })
  action: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When the record was made here.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'The last change by updateLog; null until then.' })
  updateAt: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the personal values were destroyed: authorId, comment, custom1, custom2, all members of attribute, values, author, ' +
      'eventSource and eventLocation, and the texts of edits. Null unless that was done.',
  })
  erasedAt: Date | null;

  /** Loads the edits of all records of a page at once, on the first call. */
  loadEdits: () => Promise<LogEdit[]>;
}

@ObjectType('DocumentAttributeState', { registerIn, description: 'An attribute of a document as it was at a time.' })
export class DocumentAttributeState {
  @Field(() => ID, { nullable: true, description: 'Id of the attribute in the application.' })
  attributeId: string | null;

  @Field(() => LogAttribute, { nullable: true, description: 'As the latest event names it.' })
  attribute?: LogAttribute | null;

  @Field(() => LogValue, { nullable: true, description: 'attributeNewValue of the latest event; null when it had none.' })
  value?: LogValue | null;

  @Field(() => DateTime, { nullable: true, description: 'When the latest event occurred.' })
  dateTime: Date;

  @Field(() => ID, { nullable: true, description: 'The record of the latest event.' })
  logId: string;
}
