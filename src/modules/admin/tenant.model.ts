import { Field, Float, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../common/lists/page-of.js';
import { DateTime } from '../../common/graphql/types/date-time.scalar.js';
import { AdminSchema } from '../../common/graphql/types/schemas.js';
import { MAX_RETENTION_DAYS } from '../../common/config/retention-periods.js';
import { MAX_EVENTS_COUNTED } from '../../common/events/delivery/limits.js';
import { MAX_LEFT_COUNTED } from '../../common/tenants/tenant-data.js';
import { asCount } from '../../common/base/amounts.js';

const registerIn = AdminSchema;
export const MAX_LIMITS = 7;
export const MAX_RETAINED = 4;
/** The most kinds of data that a tenant can have; there are fewer so far. */
export const MAX_KINDS = 100;

export enum TenantState {
  ACTIVE = 'ACTIVE',
  SUSPENDED = 'SUSPENDED',
  DELETING = 'DELETING',
}

registerEnumType(TenantState, {
  name: 'TenantState',
  description: 'Whether anything is done for a tenant.',
  valuesMap: {
    ACTIVE: { description: 'Its keys, URLs and tokens work.' },
    SUSPENDED: {
      description: 'Its keys, URLs and tokens are refused (FORBIDDEN), and its mails and messages wait. Nothing of it is lost.',
    },
    DELETING: {
      description:
        'As for SUSPENDED, its keys, URLs and tokens are refused; all its data is being removed, which cannot be undone.',
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

registerEnumType(TenantLimitName, {
  name: 'TenantLimitName',
  description: 'Something that tenants can have a limit of.',
  valuesMap: {
    storedBytes: { description: 'Bytes of files, and of parts that arrived for them.' },
    files: { description: 'Files, with and without content.' },
    waitingMessages: { description: 'Messages pushed and not yet delivered, cancelled or expired.' },
    templates: { description: 'Templates of documents and mails.' },
    stylesheets: { description: 'Stylesheets that templates share.' },
    mailsPerDay: { description: 'Mails accepted from midnight to midnight, UTC.' },
    waitingEvents: { description: `Events that wait for active webhooks; counted up to ${asCount(MAX_EVENTS_COUNTED)}.` },
  },
});

@ObjectType('TenantLimit', { registerIn, description: 'A limit of a tenant, and how much of it is used.' })
export class TenantLimit {
  @Field(() => TenantLimitName, { nullable: true, description: 'What is limited.' })
  name: TenantLimitName;

  @Field(() => Float, { nullable: true, description: 'A whole number; null: no limit.' })
  limit: number | null;

  @Field(() => Float, { nullable: true, description: 'A whole number: the usage at this moment.' })
  used: number;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether it was set for this tenant; otherwise the setting of the server counts.',
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

registerEnumType(RetainedKind, {
  name: 'RetainedKind',
  description: 'Something that is removed once it has been kept for its period.',
  valuesMap: {
    files: { description: 'Files, from the last change of their content or fields. A file with a multipart upload stays.' },
    messages: { description: 'Messages, from when they were delivered or cancelled.' },
    mails: { description: 'Mails, from when they were sent or failed.' },
    logs: {
      description:
        'Log records, from when they were written, in whole sealed blocks. The blocks stay, and the rest still verifies.',
    },
    events: { description: 'Events for webhooks, from when they happened, delivered or not.' },
  },
});

@ObjectType('TenantRetention', { registerIn, description: 'How long a tenant keeps things of one kind.' })
export class TenantRetention {
  @Field(() => RetainedKind, { nullable: true, description: 'What is kept.' })
  kind: RetainedKind;

  @Field(() => Int, { nullable: true, description: `Days, 1 to ${asCount(MAX_RETENTION_DAYS)}; null: forever.` })
  days: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether it was set for this tenant; otherwise the setting of the server counts.',
  })
  isOwn: boolean;
}

@ObjectType('TenantRemainder', { registerIn, description: 'How much of one kind a tenant still has that is being deleted.' })
export class TenantRemainder {
  @Field(() => String, { nullable: true, description: 'Such as files, blobs, messages or log records.' })
  kind: string;

  @Field(() => Int, { nullable: true, description: `Counted up to ${asCount(MAX_LEFT_COUNTED)}: that many, or more.` })
  count: number;
}

@ObjectType('Tenant', { registerIn, description: 'An owner of keys and data, apart from all others.' })
export class Tenant {
  @Field(() => ID, { nullable: true, description: 'Permanent; UUIDv7.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'Unique among all tenants, and permanent.' })
  name: string;

  @Field(() => TenantState, { nullable: true, description: 'Whether anything is done for it.' })
  state: TenantState;

  @Field(() => DateTime, { nullable: true, description: 'When it was created.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it was suspended; null while it is ACTIVE.' })
  suspendedAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When its deletion was asked for; null unless it is DELETING.' })
  deletingAt: Date | null;
}

@ObjectType('TenantsResult', { registerIn, description: 'A page of tenants.' })
export class TenantsResult extends pageOf(Tenant, {
  nextToken: 'Pass it back, with the same name, for the next page; null at the end.',
}) {}
