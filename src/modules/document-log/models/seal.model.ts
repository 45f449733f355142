import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { MaxItems } from '../../../common/bounds/list-size.js';
import { DateTime } from '../../../common/graphql/date-time.scalar.js';
import { DocumentLogSchema } from './schema.js';

const registerIn = DocumentLogSchema;

/** Records of one block, and as many edits. */
export const MAX_BLOCK = 50_000;
/** Blocks that one logConsistency leads over. */
export const MAX_STEPS = 10_000;

@ObjectType('LogVerification', { registerIn, description: 'What verifying found.' })
export class LogVerification {
  @Field(() => Boolean, { nullable: true, description: 'Whether everything that this call got to is as it was stored.' })
  valid: boolean;

  @Field(() => Int, { nullable: true, description: 'Records created in the range that fit, sealed or not.' })
  checkedRecords: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Blocks with records or edits created in the range that fit, with all that is in them.',
  })
  checkedBlocks: number;

  @Field(() => Int, { nullable: true, description: 'Of checkedRecords those in no block yet; a record is sealed in a second.' })
  unsealedRecords: number;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'How far this call got: everything that was created before is checked; go on with from set to it. Null at the end of the ' +
      'range, and when not valid.',
  })
  checkedTo: Date | null;

  @Field(() => ID, { nullable: true, description: 'The first record that does not fit; of an edit, the record that it is of.' })
  brokenLogId: string | null;

  @Field(() => Int, { nullable: true, description: 'The number of the first block that does not fit, when it is no record.' })
  brokenBlock: number | null;

  @Field(() => String, { nullable: true, description: 'What was done to the record or block, for people; null when valid.' })
  reason: string | null;
}

@ObjectType('LogProof', {
  registerIn,
  description: 'Proof by RFC 6962 that a record is in its sealed block. All hashes are SHA-256, 32 bytes, in base64url.',
})
export class LogProof {
  @Field(() => ID, { nullable: true, description: 'Id of the record.' })
  logId: string;

  @Field(() => Int, { nullable: true, description: 'The number of the block, from 0.' })
  block: number;

  @Field(() => Int, { nullable: true, description: 'The place of the record among the leaves, from 0.' })
  leafIndex: number;

  @Field(() => Int, { nullable: true, description: 'Records and edits in the block.' })
  leafCount: number;

  @Field(() => String, { nullable: true, description: 'Of the byte 00 and the canonical JSON of the record as it was created.' })
  leafHash: string;

  @MaxItems(Math.ceil(Math.log2(2 * MAX_BLOCK)))
  @Field(() => [String], { nullable: 'itemsAndList', description: 'The hashes that lead from leafHash to root, bottom-up.' })
  path: string[];

  @Field(() => String, { nullable: true, description: 'Root of the Merkle tree of the block.' })
  root: string;

  @Field(() => String, { nullable: true, description: 'The hash of the block before; 32 zero bytes for block 0.' })
  previousBlockHash: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Of the canonical JSON {leafCount, number, previousHash, root, tenantId}: what a latestSeal of this block says as hash.',
  })
  blockHash: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The canonical JSON that leafHash is made of, to the letter: the record as it was created, or the edit. At most 1 MiB. ' +
      'Null when it cannot be written any more, because it was changed.',
  })
  content: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The signed checkpoint of the block, in the form of latestSeal; it names the public key and the tenant.',
  })
  checkpoint: string;

  @Field(() => ID, { nullable: true, description: 'The edit that the proof is of; null when it is of a record.' })
  editId: string | null;
}

@ObjectType('LogConsistencyStep', {
  registerIn,
  description: 'What of a block its hash is made of, beside what is known already.',
})
export class LogConsistencyStep {
  @Field(() => Int, { nullable: true, description: 'Records and edits in the block, 1 or more.' })
  leafCount: number;

  @Field(() => String, { nullable: true, description: 'The Merkle root of the block, 32 bytes in base64url.' })
  root: string;
}

@ObjectType('LogConsistency', {
  registerIn,
  description:
    'Proof that a later checkpoint continues an earlier one: from its hash on, each step gives the hash of the next block, ' +
    'that of the canonical JSON {leafCount, number, previousHash, root, tenantId}.',
})
export class LogConsistency {
  @Field(() => Int, { nullable: true, description: 'The number of the block of the earlier checkpoint.' })
  fromBlock: number;

  @Field(() => Int, {
    nullable: true,
    description:
      'The number of the block that the steps lead to: that of the later checkpoint, or 10,000 blocks after fromBlock.',
  })
  toBlock: number;

  @MaxItems(MAX_STEPS, { counted: 1_000 })
  @Field(() => [LogConsistencyStep], {
    nullable: 'itemsAndList',
    description: 'One for each block after fromBlock; at most 10,000.',
  })
  steps: LogConsistencyStep[];

  @Field(() => String, {
    nullable: true,
    description: 'The signed checkpoint of toBlock. Where toBlock is before the later checkpoint, go on with it as from.',
  })
  checkpoint: string;
}
