import { Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../common/lists/page-of.js';
import { MaxItems } from '../../common/scheduling/list-size.js';
import { DateTime } from '../../common/graphql/types/date-time.scalar.js';
import { AdminSchema } from '../../common/graphql/types/schemas.js';

const registerIn = AdminSchema;
/** Maximum running erasures per tenant. */
export const MAX_RUNNING_ERASURES = 1_000;
/** Upper bound on the kinds of data that can identify a person. */
const MAX_KINDS = 20;

export enum PersonErasureState {
  RUNNING = 'RUNNING',
  DONE = 'DONE',
}

registerEnumType(PersonErasureState, {
  name: 'PersonErasureState',
  description: 'State of an erasure.',
  valuesMap: {
    RUNNING: { description: 'Data of the person may remain, or a running request may still add some.' },
    DONE: { description: 'No data of the person remains, not even in the erasure itself.' },
  },
});

@ObjectType('ErasedCount', { registerIn, description: 'Number of erased items of one kind.' })
export class ErasedCount {
  @Field(() => String, { nullable: true, description: 'Kind of data, such as messages, mails or log records.' })
  kind: string;

  @Field(() => Int, { nullable: true, description: 'Number of items. Can be slightly too low after a crash of a node.' })
  count: number;
}

@ObjectType('PersonErasure', { registerIn, description: "Erasure of a person from a tenant's data." })
export class PersonErasure {
  @Field(() => ID, { nullable: true, description: 'Permanent id, a UUIDv7.' })
  id: string;

  @Field(() => ID, { nullable: true, description: 'Id of the tenant.' })
  tenantId: string;

  @Field(() => PersonErasureState, { nullable: true, description: 'State of the erasure.' })
  state: PersonErasureState;

  @Field(() => DateTime, { nullable: true, description: 'Time of the request.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'Time of completion; null while RUNNING.' })
  endedAt: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'Current obstacle, such as a mail being sent; null if none. Retried automatically.',
  })
  problem: string | null;

  @MaxItems(MAX_KINDS)
  @Field(() => [ErasedCount], { nullable: 'itemsAndList', description: 'Erased items so far, by kind.' })
  erased: ErasedCount[];
}

@ObjectType('PersonErasuresResult', { registerIn, description: 'A page of erasures.' })
export class PersonErasuresResult extends pageOf(PersonErasure, {
  nextToken: 'Cursor of the next page, or null on the last.',
}) {}
