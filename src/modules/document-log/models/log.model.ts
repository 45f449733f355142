import { Field, Float, ID, ObjectType } from '@nestjs/graphql';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { Name, type NameValue } from './name.scalar.js';
import { DocumentLogSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = DocumentLogSchema;

/** Maximum edits per record. */
export const MAX_EDITS = 1_000;
/** Maximum attributes returned by documentState. */
export const MAX_DOCUMENT_ATTRIBUTES = 10_000;
/** Numbers of a coordinate: longitude and latitude. */
export const COORDINATES = 2;

@ObjectType('Attribute', { registerIn, description: 'Part of the document affected by the event.' })
export class LogAttribute {
  @Field(() => ID, { nullable: true, description: 'Id in the application.' })
  id?: string | null;

  @Field(() => Name, { nullable: true, description: 'Name, in one or several languages.' })
  name?: NameValue | null;
}

@ObjectType('Value', { registerIn, description: 'Value of an attribute, in machine-readable and human-readable form.' })
export class LogValue {
  @Field(() => String, { nullable: true, description: 'Machine-readable form.' })
  raw?: string | null;

  @Field(() => String, { nullable: true, description: 'Human-readable form.' })
  display?: string | null;
}

@ObjectType('Author', { registerIn, description: 'Author of the event, as sent by the application.' })
export class LogAuthor {
  @Field(() => ID, { nullable: true, description: 'Id in the application.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'Display name.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'Role, such as admin, user or customer.' })
  profile?: string | null;
}

@ObjectType('EventSource', { registerIn, description: 'Application or device that emitted the event.' })
export class EventSource {
  @Field(() => ID, { nullable: true, description: 'Id in the application.' })
  id?: string | null;

  @Field(() => Name, { nullable: true, description: 'Name, in one or several languages.' })
  name?: NameValue | null;
}

@ObjectType('EventLocation', { registerIn, description: 'Location of an event.' })
export class EventLocation {
  @Field(() => String, { nullable: true, description: 'IP address.' })
  id?: string | null;

  @MaxItems(COORDINATES)
  @Field(() => [Float], { nullable: 'itemsAndList', description: 'Longitude and latitude, in decimal degrees.' })
  geoLocation?: (number | null)[] | null;
}

@ObjectType('LogEdit', { registerIn, description: 'Change of one field by updateLog.' })
export class LogEdit {
  @Field(() => ID, { nullable: true, description: 'Id of the edit, a UUIDv7. Pass it to logProof to prove the edit.' })
  id: string;

  @Field(() => DateTime, { nullable: true, description: 'Time of the change.' })
  dateTime: Date;

  @Field(() => String, { nullable: true, description: 'Changed field: comment, custom1 or custom2.' })
  field: string;

  @Field(() => String, { nullable: true, description: 'Text before the change; null if there was none.' })
  oldValue: string | null;

  @Field(() => String, { nullable: true, description: 'Text after the change; null if cleared.' })
  newValue: string | null;
}

@ObjectType('Log', { registerIn, description: 'Record of an event. Immutable except for comment, custom1 and custom2.' })
export class Log {
  @Field(() => ID, { nullable: true, description: 'UUIDv7.' })
  id: string;

  @Field(() => ID, { nullable: true, description: 'Id of the document in the application.' })
  documentId: string;

  @Field(() => String, { nullable: true, description: 'Kind of the document in the application.' })
  documentType: string;

  @Field(() => ID, { nullable: true, description: 'Id of the attribute.' })
  attributeId: string | null;

  @Field(() => LogAttribute, { nullable: true, description: 'Part of the document affected by the event.' })
  attribute?: LogAttribute | null;

  @Field(() => LogValue, { nullable: true, description: 'Value after the event.' })
  attributeNewValue?: LogValue | null;

  @Field(() => LogValue, { nullable: true, description: 'Value before the event.' })
  attributeOldValue?: LogValue | null;

  @Field(() => DateTime, { nullable: true, description: 'Time of the event.' })
  dateTime: Date;

  @Field(() => ID, { nullable: true, description: 'Id of the author.' })
  authorId: string | null;

  @Field(() => LogAuthor, { nullable: true, description: 'Author of the event.' })
  author?: LogAuthor | null;

  @Field(() => EventSource, { nullable: true, description: 'Application or device that emitted the event.' })
  eventSource?: EventSource | null;

  @Field(() => EventLocation, { nullable: true, description: 'Location of the event.' })
  eventLocation?: EventLocation | null;

  @Field(() => String, { nullable: true, description: 'Free text, editable by updateLog.' })
  comment: string | null;

  @Field(() => String, { nullable: true, description: 'Free text of the application, editable by updateLog.' })
  custom1: string | null;

  @Field(() => String, { nullable: true, description: 'Free text of the application, editable by updateLog.' })
  custom2: string | null;

  @Field(() => String, { nullable: true, description: 'Kind of event, such as create, update or delete.' })
  action: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Time at which the record was stored.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'Time of the last updateLog; null before the first.' })
  updateAt: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'Time of erasure; null unless erased. Erasure destroys authorId, comment, custom1, custom2, all members of attribute, values, ' +
      'author, eventSource and eventLocation, and the texts of edits.',
  })
  erasedAt: Date | null;

  /** Loads the edits. The first call loads those of the whole page. */
  loadEdits: () => Promise<LogEdit[]>;
}

@ObjectType('DocumentAttributeState', { registerIn, description: 'State of a document attribute at a point in time.' })
export class DocumentAttributeState {
  @Field(() => ID, { nullable: true, description: 'Id of the attribute in the application.' })
  attributeId: string | null;

  @Field(() => LogAttribute, { nullable: true, description: 'Attribute as named by the latest event.' })
  attribute?: LogAttribute | null;

  @Field(() => LogValue, { nullable: true, description: 'attributeNewValue of the latest event; null if it had none.' })
  value?: LogValue | null;

  @Field(() => DateTime, { nullable: true, description: 'Time of the latest event.' })
  dateTime: Date;

  @Field(() => ID, { nullable: true, description: 'Id of the record of the latest event.' })
  logId: string;
}
