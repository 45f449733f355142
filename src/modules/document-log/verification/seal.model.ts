import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { DocumentLogSchema } from '../../../common/graphql/types/schemas.js';
import { asBytes, asCount } from '../../../common/base/amounts.js';

const registerIn = DocumentLogSchema;

/** Bytes of the canonical JSON of a leaf: that of a record whose texts are as long as they may be. */
export const MAX_LEAF_BYTES = 25 * 1024;
/** Bytes of the canonical JSON of the members that can name a person. */
export const MAX_PERSONAL_BYTES = 5 * 1024 * 1024;
/** The most records of one block, and the most edits. */
export const MAX_BLOCK = 50_000;
/** The most blocks that one logConsistency covers. */
export const MAX_STEPS = 10_000;

@ObjectType('LogVerification', { registerIn, description: 'The result of a verification.' })
export class LogVerification {
  @Field(() => Boolean, { nullable: true, description: 'Whether everything that this call checked is as it was stored.' })
  valid: boolean;

  @Field(() => Int, { nullable: true, description: 'Intact records that were created in the range, sealed or not.' })
  checkedRecords: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Intact blocks that have records or edits created in the range.',
  })
  checkedBlocks: number;

  @Field(() => Int, {
    nullable: true,
    description: 'How many of checkedRecords are in no block yet; a record is sealed about a second after it was created.',
  })
  unsealedRecords: number;

  @Field(() => Int, {
    nullable: true,
    description: 'How many of checkedRecords were erased: what remains of them is intact, and their erasure is sealed.',
  })
  erasedRecords: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Records created in the range that were removed at the end of their retention, as a sealed horizon says.',
  })
  removedRecords: number;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'How far this call got: everything created before this time is checked; set from to it to go on. Null at the end of the ' +
      'range, and when not valid.',
  })
  checkedTo: Date | null;

  @Field(() => ID, { nullable: true, description: 'The first record that was tampered with; for an edit, its record.' })
  brokenLogId: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of the first block that was tampered with, unless it is a record.',
  })
  brokenBlock: number | null;

  @Field(() => String, { nullable: true, description: 'How the record or block was tampered with, in words; null when valid.' })
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

  @Field(() => Int, { nullable: true, description: 'The index of the record among the leaves, from 0.' })
  leafIndex: number;

  @Field(() => Int, { nullable: true, description: 'The number of records and edits in the block.' })
  leafCount: number;

  @Field(() => String, {
    nullable: true,
    description: 'The hash of the byte 00 and the canonical JSON of the record as it was created.',
  })
  leafHash: string;

  @MaxItems(Math.ceil(Math.log2(2 * MAX_BLOCK)))
  @Field(() => [String], { nullable: 'itemsAndList', description: 'The hashes that lead from leafHash to root, bottom-up.' })
  path: string[];

  @Field(() => String, { nullable: true, description: 'The root of the Merkle tree of the block.' })
  root: string;

  @Field(() => String, { nullable: true, description: 'The hash of the previous block; 32 zero bytes for block 0.' })
  previousBlockHash: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The hash of the canonical JSON {leafCount, number, previousHash, root, tenantId}: the hash in a latestSeal of this block.',
  })
  blockHash: string;

  @Field(() => String, {
    nullable: true,
    description:
      `The exact canonical JSON that leafHash is made of: the record as it was created, or the edit. At most ${asBytes(MAX_LEAF_BYTES)}. ` +
      'Null when it was damaged and cannot be written any more.',
  })
  content: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The canonical JSON of the members of content that can name a person. SHA-256 of salt and this text is personalHash in content. ' +
      `Null once the record was erased, and of the edit that seals an erasure. At most ${asBytes(MAX_PERSONAL_BYTES)}.`,
  })
  personal: string | null;

  @Field(() => String, { nullable: true, description: '16 random bytes in base64url; null when personal is.' })
  salt: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The signed checkpoint of the block, in the form of latestSeal; it names the public key and the tenant.',
  })
  checkpoint: string;

  @Field(() => ID, { nullable: true, description: 'The edit that the proof is for; null for a proof of a record.' })
  editId: string | null;
}

@ObjectType('LogConsistencyStep', {
  registerIn,
  description: 'The fields of a block that its hash covers, besides those already known.',
})
export class LogConsistencyStep {
  @Field(() => Int, { nullable: true, description: 'Records and edits in the block, 1 or more.' })
  leafCount: number;

  @Field(() => String, { nullable: true, description: 'The Merkle root of the block: 32 bytes in base64url.' })
  root: string;
}

@ObjectType('LogConsistency', {
  registerIn,
  description:
    'Proof that a later checkpoint continues an earlier one: starting from its hash, each step gives the hash of the next block, ' +
    'which is that of the canonical JSON {leafCount, number, previousHash, root, tenantId}.',
})
export class LogConsistency {
  @Field(() => Int, { nullable: true, description: 'The number of the block of the earlier checkpoint.' })
  fromBlock: number;

  @Field(() => Int, {
    nullable: true,
    description: `The number of the block that the steps lead to: the block of the later checkpoint, or ${asCount(MAX_STEPS)} blocks after fromBlock.`,
  })
  toBlock: number;

  @MaxItems(MAX_STEPS, { counted: 1_000 })
  @Field(() => [LogConsistencyStep], {
    nullable: 'itemsAndList',
    description: `One for each block after fromBlock; at most ${asCount(MAX_STEPS)}.`,
  })
  steps: LogConsistencyStep[];

  @Field(() => String, {
    nullable: true,
    description: 'The signed checkpoint of toBlock. If toBlock is before the later checkpoint, pass this as from to go on.',
  })
  checkpoint: string;
}
