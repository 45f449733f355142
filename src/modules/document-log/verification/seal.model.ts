import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { DocumentLogSchema } from '../../../common/graphql/types/schemas.js';
import { asBytes, asCount } from '../../../common/base/amounts.js';

const registerIn = DocumentLogSchema;

/** Maximum bytes of the canonical JSON of a leaf. */
export const MAX_LEAF_BYTES = 25 * 1024;
/** Maximum bytes of the canonical JSON of the personal members. */
export const MAX_PERSONAL_BYTES = 5 * 1024 * 1024;
/** Maximum records, and likewise edits, of one block. */
export const MAX_BLOCK = 50_000;
/** Maximum blocks covered by one logConsistency. */
export const MAX_STEPS = 10_000;

@ObjectType('LogVerification', { registerIn, description: 'Result of a verification.' })
export class LogVerification {
  @Field(() => Boolean, { nullable: true, description: 'True if everything checked by this call is intact.' })
  valid: boolean;

  @Field(() => Int, { nullable: true, description: 'Number of intact records created in the range, sealed or not.' })
  checkedRecords: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of intact blocks with records or edits created in the range.',
  })
  checkedBlocks: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of checkedRecords not sealed yet. Sealing follows about a second after creation.',
  })
  unsealedRecords: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of checkedRecords with erased values. Their erasure is sealed, and the rest is intact.',
  })
  erasedRecords: number;

  @Field(() => Int, {
    nullable: true,
    description:
      'Number of records created in the range and removed at the end of their retention period, as documented by a sealed horizon.',
  })
  removedRecords: number;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'Time before which everything is checked. Pass it as from to continue. Null at the end of the range, and if not valid.',
  })
  checkedTo: Date | null;

  @Field(() => ID, { nullable: true, description: 'Id of the first record found tampered with; for an edit, of its record.' })
  brokenLogId: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of the first block found tampered with, unless it is a record.',
  })
  brokenBlock: number | null;

  @Field(() => String, { nullable: true, description: 'Description of the tampering; null if valid.' })
  reason: string | null;
}

@ObjectType('LogProof', {
  registerIn,
  description: 'Proof by RFC 6962 that a record is in its sealed block. All hashes are SHA-256, 32 bytes, in base64url.',
})
export class LogProof {
  @Field(() => ID, { nullable: true, description: 'Id of the record.' })
  logId: string;

  @Field(() => Int, { nullable: true, description: 'Number of the block, from 0.' })
  block: number;

  @Field(() => Int, { nullable: true, description: 'Index of the record among the leaves, from 0.' })
  leafIndex: number;

  @Field(() => Int, { nullable: true, description: 'Number of records and edits in the block.' })
  leafCount: number;

  @Field(() => String, {
    nullable: true,
    description: 'Hash of the byte 00 followed by content.',
  })
  leafHash: string;

  @MaxItems(Math.ceil(Math.log2(2 * MAX_BLOCK)))
  @Field(() => [String], { nullable: 'itemsAndList', description: 'Hashes from leafHash to root, bottom-up.' })
  path: string[];

  @Field(() => String, { nullable: true, description: 'Root of the Merkle tree of the block.' })
  root: string;

  @Field(() => String, { nullable: true, description: 'Hash of the previous block; 32 zero bytes for block 0.' })
  previousBlockHash: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Hash of the canonical JSON {leafCount, number, previousHash, root, tenantId}, equal to hash in a latestSeal of this block.',
  })
  blockHash: string;

  @Field(() => String, {
    nullable: true,
    description:
      `Canonical JSON hashed to leafHash: the record as of its creation, or the edit. At most ${asBytes(MAX_LEAF_BYTES)}. ` +
      'Null if it was damaged in the database.',
  })
  content: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Canonical JSON of the personal members. The SHA-256 of salt followed by this text is personalHash in content. ' +
      `Null after erasure, and for the edit of an erasure. At most ${asBytes(MAX_PERSONAL_BYTES)}.`,
  })
  personal: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Salt of personalHash: 16 random bytes in base64url; null if personal is null.',
  })
  salt: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Signed checkpoint of the block, in the format of latestSeal. It contains the public key and the tenant.',
  })
  checkpoint: string;

  @Field(() => ID, { nullable: true, description: 'Id of the proven edit; null for a proof of a record.' })
  editId: string | null;
}

@ObjectType('LogConsistencyStep', {
  registerIn,
  description: 'Block in a consistency proof: the hashed fields that the verifier does not know yet.',
})
export class LogConsistencyStep {
  @Field(() => Int, { nullable: true, description: 'Number of records and edits in the block, 1 or more.' })
  leafCount: number;

  @Field(() => String, { nullable: true, description: 'Merkle root of the block: 32 bytes in base64url.' })
  root: string;
}

@ObjectType('LogConsistency', {
  registerIn,
  description:
    'Proof that a later checkpoint continues an earlier one. Starting from the earlier hash, each step yields the hash of the next ' +
    'block: that of the canonical JSON {leafCount, number, previousHash, root, tenantId}.',
})
export class LogConsistency {
  @Field(() => Int, { nullable: true, description: 'Block number of the earlier checkpoint.' })
  fromBlock: number;

  @Field(() => Int, {
    nullable: true,
    description: `Number of the last block covered: that of the later checkpoint, or ${asCount(MAX_STEPS)} blocks after fromBlock.`,
  })
  toBlock: number;

  @MaxItems(MAX_STEPS, { counted: 1_000 })
  @Field(() => [LogConsistencyStep], {
    nullable: 'itemsAndList',
    description: `One step per block after fromBlock; at most ${asCount(MAX_STEPS)}.`,
  })
  steps: LogConsistencyStep[];

  @Field(() => String, {
    nullable: true,
    description: 'Signed checkpoint of toBlock. If toBlock is before the later checkpoint, pass this as from to continue.',
  })
  checkpoint: string;
}
