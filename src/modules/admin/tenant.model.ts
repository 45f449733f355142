import { Field, Float, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../common/lists/page-of.js';
import { DateTime } from '../../common/graphql/types/date-time.scalar.js';
import { AdminSchema } from '../../common/graphql/types/schemas.js';
import { MAX_RETENTION_DAYS } from '../../common/config/retention-periods.js';
import { MAX_EVENTS_COUNTED } from '../../common/events/delivery/limits.js';
import { MAX_LEFT_COUNTED } from '../../common/tenants/tenant-data.js';
import { asCount } from '../../common/base/amounts.js';

const registerIn = AdminSchema;
/** Upper bound on the kinds of data of a tenant. */
export const MAX_KINDS = 100;

export enum TenantState {
  ACTIVE = 'ACTIVE',
  SUSPENDED = 'SUSPENDED',
  DELETING = 'DELETING',
}

registerEnumType(TenantState, {
  name: 'TenantState',
  description: 'State of a tenant.',
  valuesMap: {
    ACTIVE: { description: 'Its keys, URLs and tokens work.' },
    SUSPENDED: {
      description: 'Its keys, URLs and tokens are rejected (FORBIDDEN), and its mails and messages queue. No data is lost.',
    },
    DELETING: {
      description: 'Its keys, URLs and tokens are rejected (FORBIDDEN), and all its data is being removed, irreversibly.',
    },
  },
});

export enum TenantLimitName {
  storedBytes = 'storedBytes',
  files = 'files',
  waitingMessages = 'waitingMessages',
  templates = 'templates',
  stylesheets = 'stylesheets',
  mailsPerDay = 'mailsPerDay',
  waitingEvents = 'waitingEvents',
}
export const MAX_LIMITS = Object.values(TenantLimitName).length;

registerEnumType(TenantLimitName, {
  name: 'TenantLimitName',
  description: 'Limited resource of a tenant.',
  valuesMap: {
    storedBytes: { description: 'Bytes of files and of their uploaded parts.' },
    files: { description: 'Files, with and without content.' },
    waitingMessages: { description: 'Messages pushed and not yet delivered, cancelled or expired.' },
    templates: { description: 'Templates of documents and mails.' },
    stylesheets: { description: 'Stylesheets shared by templates.' },
    mailsPerDay: { description: 'Mails accepted from midnight to midnight, UTC.' },
    waitingEvents: { description: `Events queued for active webhooks, counted up to ${asCount(MAX_EVENTS_COUNTED)}.` },
  },
});

@ObjectType('TenantLimit', { registerIn, description: 'Limit of a tenant, with its usage.' })
export class TenantLimit {
  @Field(() => TenantLimitName, { nullable: true, description: 'Limited resource.' })
  name: TenantLimitName;

  @Field(() => Float, { nullable: true, description: 'Whole number; null for no limit.' })
  limit: number | null;

  @Field(() => Float, { nullable: true, description: 'Current usage, a whole number.' })
  used: number;

  @Field(() => Boolean, {
    nullable: true,
    description: "True if set for this tenant; false if the server's setting applies.",
  })
  isOwn: boolean;
}

export enum RetainedKind {
  files = 'files',
  messages = 'messages',
  mails = 'mails',
  logs = 'logs',
  events = 'events',
}
export const MAX_RETAINED = Object.values(RetainedKind).length;

registerEnumType(RetainedKind, {
  name: 'RetainedKind',
  description: 'Kind of data with a retention period.',
  valuesMap: {
    files: {
      description: 'Files, from the last change of their content or fields. A file with an open multipart upload is retained.',
    },
    messages: { description: 'Messages, from their delivery or cancellation.' },
    mails: { description: 'Mails, from the time they were sent or failed.' },
    logs: {
      description: 'Log records, from the time they were stored. Removed in whole sealed blocks; the other records still verify.',
    },
    events: { description: 'Events for webhooks, from their occurrence, delivered or not.' },
  },
});

@ObjectType('TenantRetention', { registerIn, description: 'Retention period of one kind of data.' })
export class TenantRetention {
  @Field(() => RetainedKind, { nullable: true, description: 'Kind of data.' })
  kind: RetainedKind;

  @Field(() => Int, { nullable: true, description: `Days, 1 to ${asCount(MAX_RETENTION_DAYS)}; null for unlimited.` })
  days: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "True if set for this tenant; false if the server's setting applies.",
  })
  isOwn: boolean;
}

@ObjectType('TenantRemainder', { registerIn, description: 'Remaining data of one kind of a tenant being deleted.' })
export class TenantRemainder {
  @Field(() => String, { nullable: true, description: 'Kind of data, such as files, blobs, messages or log records.' })
  kind: string;

  @Field(() => Int, { nullable: true, description: `Number of items; ${asCount(MAX_LEFT_COUNTED)} means that many or more.` })
  count: number;
}

@ObjectType('Tenant', { registerIn, description: 'Owner of keys and data, isolated from all other tenants.' })
export class Tenant {
  @Field(() => ID, { nullable: true, description: 'Permanent id, a UUIDv7.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'Unique, permanent name.' })
  name: string;

  @Field(() => TenantState, { nullable: true, description: 'State of the tenant.' })
  state: TenantState;

  @Field(() => DateTime, { nullable: true, description: 'Time of creation.' })
  createdAt: Date;

  @Field(() => ID, {
    nullable: true,
    description:
      'Tenant whose templates, partials, stylesheets and verified domains this one reads, its own of the same name first; null for none.',
  })
  parentId: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Time of suspension; null while ACTIVE.' })
  suspendedAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Time at which its deletion was requested; null unless DELETING.' })
  deletingAt: Date | null;
}

@ObjectType('TenantsResult', { registerIn, description: 'A page of tenants.' })
export class TenantsResult extends pageOf(Tenant, {
  nextToken: 'Cursor of the next page, or null on the last.',
}) {}
