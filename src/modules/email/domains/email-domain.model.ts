import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { asCount, asDays } from '../../../common/base/amounts.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';
import { MAX_ERROR } from '../models/limits.js';
import { FAIL_AFTER_MS, MAX_DOMAINS, MAX_FOUND, MAX_RECORDS, MAX_STRING, MAX_VALUE, OVERLAP_MS } from './limits.js';

const registerIn = EmailSchema;

export enum EmailDomainStatus {
  PENDING = 'PENDING',
  VERIFIED = 'VERIFIED',
  FAILED = 'FAILED',
}
registerEnumType(EmailDomainStatus, {
  name: 'EmailDomainStatus',
  registerIn,
  description: 'Whether the records of a domain show that the tenant may send from it.',
  valuesMap: {
    PENDING: {
      description: 'The needed records of OWNERSHIP and DKIM have not all been found yet; lastError names those that were not.',
    },
    VERIFIED: { description: 'They were found: any address of the domain may be from.' },
    FAILED: {
      description: `It was VERIFIED, and a needed record has been missing for ${asDays(FAIL_AFTER_MS)} days.`,
    },
  },
});

export enum DnsRecordPurpose {
  OWNERSHIP = 'OWNERSHIP',
  DKIM = 'DKIM',
  SPF = 'SPF',
  DMARC = 'DMARC',
  RETURN_PATH = 'RETURN_PATH',
}
registerEnumType(DnsRecordPurpose, {
  name: 'DnsRecordPurpose',
  registerIn,
  description:
    'What a record of a domain is for. OWNERSHIP and DKIM with the RSA key are needed; the others help mails to arrive.',
  valuesMap: {
    OWNERSHIP: {
      description: 'Shows that who has the domain gave it to this tenant. Several tenants can each have their own value there.',
    },
    DKIM: {
      description:
        'A key that signatures of mails are verified with (RFC 6376): that of RSA, which is needed, and that of Ed25519 (RFC 8463), which ' +
        'is optional. While its record is found, each mail has a signature of both.',
    },
    SPF: { description: 'Names the servers that send for the domain (RFC 7208). Only where the operator has set EMAIL_SPF.' },
    DMARC: { description: 'Says what becomes of mails that neither SPF nor DKIM shows to be of the domain (RFC 7489).' },
    RETURN_PATH: {
      description: 'Makes bounces go to a name of the domain, so that SPF is of the domain too. Only with RETURN_PATH_DOMAIN.',
    },
  },
});

export enum DnsRecordState {
  FOUND = 'FOUND',
  MISSING = 'MISSING',
  DIFFERENT = 'DIFFERENT',
  UNKNOWN = 'UNKNOWN',
}
registerEnumType(DnsRecordState, {
  name: 'DnsRecordState',
  registerIn,
  description: 'What the latest check found.',
  valuesMap: {
    FOUND: { description: 'The record is there.' },
    MISSING: { description: 'The name servers say that there is no such record.' },
    DIFFERENT: { description: 'There is a record, which does not do what this one does; found shows it.' },
    UNKNOWN: { description: 'Not looked up yet, or the name servers gave no usable answer. Changes nothing.' },
  },
});

@ObjectType('DnsRecord', { registerIn, description: 'A record to set for a domain, and what was found in its place.' })
export class DnsRecord {
  @Field(() => DnsRecordPurpose, { nullable: true, description: 'What it is for.' })
  purpose: DnsRecordPurpose;

  @Field(() => String, { nullable: true, description: 'TXT or CNAME.' })
  type: string;

  @Field(() => String, { nullable: true, description: 'The whole name, without a dot at its end.' })
  name: string;

  @Field(() => String, {
    nullable: true,
    description:
      `The value to set. A TXT value of more than ${MAX_STRING} characters is stored as several strings, which most providers do by ` +
      'themselves.',
  })
  value: string;

  @Field(() => DnsRecordState, { nullable: true, description: 'What the latest check found.' })
  state: DnsRecordState;

  @MaxItems(MAX_FOUND)
  @Field(() => [String], {
    nullable: 'itemsAndList',
    description:
      `The values of this type that were there, up to ${MAX_FOUND}, with the first ${MAX_VALUE} characters each; what is not ` +
      'printable ASCII is shown as U+FFFD.',
  })
  found: string[];

  @Field(() => DateTime, {
    nullable: true,
    description:
      `Set for keys that a rotation replaced: keep the record until then, ${asDays(OVERLAP_MS)} days, for mails on their way. ` +
      'null for all other records.',
  })
  keepUntil: Date | null;
}

@ObjectType('EmailDomain', { registerIn, description: 'A domain that the tenant sends from, or has asked to send from.' })
export class EmailDomain {
  @Field(() => String, { nullable: true, description: 'In lower case, and in ASCII as name servers know it.' })
  domain: string;

  @Field(() => EmailDomainStatus, { nullable: true, description: 'Whether the tenant may send from it.' })
  status: EmailDomainStatus;

  @MaxItems(MAX_RECORDS)
  @Field(() => [DnsRecord], {
    nullable: 'itemsAndList',
    description:
      'The records to set. After rotateEmailDomainKeys those of the new keys, and those of the old ones while they count.',
  })
  records: DnsRecord[];

  @Field(() => DateTime, { nullable: true, description: 'When it was created.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it became VERIFIED, the latest time; null before.' })
  verifiedAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When the records were last looked up; null before.' })
  checkedAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When they are looked up next; null when only checkEmailDomain does.' })
  nextCheckAt: Date | null;

  @Field(() => String, {
    nullable: true,
    description: `Which needed records the latest check did not find, up to ${asCount(MAX_ERROR)} characters; null if it found all.`,
  })
  lastError: string | null;
}

@ObjectType('EmailDomainsResult', { registerIn, description: 'A page of domains.' })
export class EmailDomainsResult extends pageOf(EmailDomain, {
  nextToken: 'Pass it to get the next page; null at the end.',
  max: MAX_DOMAINS,
}) {}
