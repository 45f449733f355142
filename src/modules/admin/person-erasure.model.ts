import { Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../common/lists/page-of.js';
import { MaxItems } from '../../common/scheduling/list-size.js';
import { DateTime } from '../../common/graphql/types/date-time.scalar.js';
import { AdminSchema } from '../../common/graphql/types/schemas.js';

const registerIn = AdminSchema;
/** How many erasures of persons that have not ended a tenant can have. */
export const MAX_RUNNING_ERASURES = 1_000;
/** The most kinds of data that can name a person; there are fewer so far. */
const MAX_KINDS = 20;

export enum PersonErasureState {
  RUNNING = 'RUNNING',
  DONE = 'DONE',
}

registerEnumType(PersonErasureState, {
  name: 'PersonErasureState',
  description: 'How far the erasure of a person is.',
  valuesMap: {
    RUNNING: { description: 'There may be more data of the person, or a request that was running may still add some.' },
    DONE: { description: 'Nothing was found any more, and the erasure itself has forgotten the person.' },
  },
});

@ObjectType('ErasedCount', { registerIn, description: 'How much of one kind was erased.' })
export class ErasedCount {
  @Field(() => String, { nullable: true, description: 'Such as messages, mails or log records.' })
  kind: string;

  @Field(() => Int, { nullable: true, description: 'A few may be missing where a node was killed.' })
  count: number;
}

@ObjectType('PersonErasure', { registerIn, description: 'The erasure of a person from what a tenant has.' })
export class PersonErasure {
  @Field(() => ID, { nullable: true, description: 'Permanent; UUIDv7.' })
  id: string;

  @Field(() => ID, { nullable: true, description: 'Id of the tenant.' })
  tenantId: string;

  @Field(() => PersonErasureState, { nullable: true, description: 'How far it is.' })
  state: PersonErasureState;

  @Field(() => DateTime, { nullable: true, description: 'When it was asked for.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'When nothing was found any more; null while it is RUNNING.' })
  endedAt: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Why the erasure cannot continue now, such as a mail that is being sent; null if it can. It is retried automatically.',
  })
  problem: string | null;

  @MaxItems(MAX_KINDS)
  @Field(() => [ErasedCount], { nullable: 'itemsAndList', description: 'What was erased so far, by kind.' })
  erased: ErasedCount[];
}

@ObjectType('PersonErasuresResult', { registerIn, description: 'A page of erasures.' })
export class PersonErasuresResult extends pageOf(PersonErasure, {
  nextToken: 'Pass it back, with the same tenantId, for the next page; null at the end.',
}) {}
