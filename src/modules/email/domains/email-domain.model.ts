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
  description: 'Verification status of a domain.',
  valuesMap: {
    PENDING: {
      description: 'Required records of OWNERSHIP and DKIM have not been found yet; lastError lists them.',
    },
    VERIFIED: { description: 'The required records were found: from may be any address of the domain.' },
    FAILED: {
      description: `The domain was VERIFIED, but a required record has been missing for ${asDays(FAIL_AFTER_MS)} days.`,
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
  description: 'Purpose of a record. OWNERSHIP and DKIM with the RSA key are required; the others improve deliverability.',
  valuesMap: {
    OWNERSHIP: {
      description: 'Proof that the owner of the domain authorized this tenant. Several tenants can each have a value.',
    },
    DKIM: {
      description:
        'Public key to verify mails (RFC 6376): RSA, which is required, and Ed25519 (RFC 8463), which ' +
        'is optional. While both records are found, each mail has both signatures.',
    },
    SPF: { description: 'List of servers that send for the domain (RFC 7208). Present only if the operator has set EMAIL_SPF.' },
    DMARC: { description: 'Policy for mails that pass neither SPF nor DKIM for the domain (RFC 7489).' },
    RETURN_PATH: {
      description: 'Bounce domain under the domain itself, which aligns SPF. Present only with RETURN_PATH_DOMAIN.',
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
  description: 'Result of the latest check.',
  valuesMap: {
    FOUND: { description: 'The record exists.' },
    MISSING: { description: 'The record does not exist.' },
    DIFFERENT: { description: 'A different record exists; see found.' },
    UNKNOWN: { description: 'Not checked yet, or the lookup failed. Does not affect the status.' },
  },
});

@ObjectType('DnsRecord', { registerIn, description: 'DNS record to set for a domain, with the result of the latest check.' })
export class DnsRecord {
  @Field(() => DnsRecordPurpose, { nullable: true, description: 'Purpose of the record.' })
  purpose: DnsRecordPurpose;

  @Field(() => String, { nullable: true, description: 'Type: TXT or CNAME.' })
  type: string;

  @Field(() => String, { nullable: true, description: 'Full name, without a trailing dot.' })
  name: string;

  @Field(() => String, {
    nullable: true,
    description:
      `Value to set. A TXT value of more than ${MAX_STRING} characters is stored as several strings, which most providers do by ` +
      'themselves.',
  })
  value: string;

  @Field(() => DnsRecordState, { nullable: true, description: 'Result of the latest check.' })
  state: DnsRecordState;

  @MaxItems(MAX_FOUND)
  @Field(() => [String], {
    nullable: 'itemsAndList',
    description:
      `Values of this type found, up to ${MAX_FOUND}, with the first ${MAX_VALUE} characters each; U+FFFD replaces ` +
      'other than printable ASCII.',
  })
  found: string[];

  @Field(() => DateTime, {
    nullable: true,
    description:
      `End of use of a replaced key: leave the record in place until then, ${asDays(OVERLAP_MS)} days, for mails in transit. ` +
      'Null for all other records.',
  })
  keepUntil: Date | null;
}

@ObjectType('EmailDomain', { registerIn, description: 'Domain to send from, verified or pending.' })
export class EmailDomain {
  @Field(() => String, { nullable: true, description: 'Domain in lowercase ASCII, as in DNS.' })
  domain: string;

  @Field(() => EmailDomainStatus, { nullable: true, description: 'Verification status.' })
  status: EmailDomainStatus;

  @MaxItems(MAX_RECORDS)
  @Field(() => [DnsRecord], {
    nullable: 'itemsAndList',
    description: 'Records to set. After rotateEmailDomainKeys, includes those of the new keys, and of the old ones while in use.',
  })
  records: DnsRecord[];

  @Field(() => DateTime, { nullable: true, description: 'Time of creation.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'Time of the latest verification; null before the first.' })
  verifiedAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Time of the latest check; null before the first.' })
  checkedAt: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time of the next automatic check; null if only checkEmailDomain checks.',
  })
  nextCheckAt: Date | null;

  @Field(() => String, {
    nullable: true,
    description: `Required records missing in the latest check, up to ${asCount(MAX_ERROR)} characters; null if none.`,
  })
  lastError: string | null;

  /** True if it is of the parent tenant. */
  inherited?: boolean;
}

@ObjectType('EmailDomainsResult', { registerIn, description: 'A page of domains.' })
export class EmailDomainsResult extends pageOf(EmailDomain, {
  nextToken: 'Cursor of the next page, or null on the last.',
  max: MAX_DOMAINS,
}) {}
