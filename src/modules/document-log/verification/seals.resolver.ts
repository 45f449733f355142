import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { Cheap, Heavy, HEAVY_BOUNDS } from '../../../common/scheduling/work-class.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { asCount, MIB } from '../../../common/base/amounts.js';
import { SealsService } from '../seals/seals.service.js';
import { LogConsistency, LogProof, LogVerification, MAX_STEPS } from './seal.model.js';
import { LogConsistencyService } from './log-consistency.service.js';
import { LogVerifierService } from './log-verifier.service.js';
import { LogProofService } from './log-proof.service.js';
import { MAX_VERIFIED } from './progress.js';

/** Schema descriptions of the operations on seals. */
const SEALS = {
  verifyLogs:
    'Recomputes everything that was created between from and to (both inclusive, either may be left out): records, edits and ' +
    `the blocks that hold them, at most ${asCount(MAX_VERIFIED)} records and edits a call; checkedTo says where to go on. ` +
    'checkpoint is a latestSeal kept elsewhere: with it, a cut tail and a re-signed history are found too. BAD_USER_INPUT for ' +
    `a checkpoint that is damaged or of another tenant, and when to is before from. ${HEAVY_BOUNDS}`,
  verifyLogsFrom: 'Earliest time of creation, inclusive; left out, from the first record.',
  verifyLogsTo: 'Latest time of creation, inclusive; left out, to the last record.',
  latestSeal:
    'The newest block’s signed checkpoint, opaque, to keep outside of this system; null when nothing is sealed. ' +
    'FAILED_PRECONDITION when that block was changed.',
  logProof:
    'The proof that a record or an edit is in its sealed block, with everything needed to verify it; null until it is sealed, ' +
    'which takes about a second. NOT_FOUND for an unknown id; FAILED_PRECONDITION when the block or its records were changed. ' +
    HEAVY_BOUNDS,
  logConsistency:
    `Proves that the checkpoint to continues the checkpoint from; each is a latestSeal. Covers at most ${asCount(MAX_STEPS)} ` +
    'blocks a call. BAD_USER_INPUT for a checkpoint that is damaged, of another tenant or another key, and when from is the ' +
    `later one; FAILED_PRECONDITION when the blocks do not lead from one to the other. ${HEAVY_BOUNDS}`,
};

const nullable = true;

@Resolver()
@AccessByScope('document-log')
export class SealsResolver {
  constructor(
    private readonly seals: SealsService,
    private readonly proofs: LogProofService,
    private readonly verifier: LogVerifierService,
    private readonly consistency: LogConsistencyService,
  ) {}

  @Heavy({ memoryBytes: 32 * MIB, cost: 1_000 })
  @Query(() => LogVerification, { nullable, description: SEALS.verifyLogs })
  verifyLogs(
    @CurrentCaller() caller: Caller,
    @Args('from', { type: () => DateTime, nullable, description: SEALS.verifyLogsFrom })
    from: Date | null,
    @Args('to', { type: () => DateTime, nullable, description: SEALS.verifyLogsTo })
    to: Date | null,
    @Args('checkpoint', { type: () => String, nullable, description: 'A latestSeal that was kept elsewhere.' })
    checkpoint: string | null,
  ): Promise<LogVerification> {
    return this.verifier.verify(caller, { from: from ?? null, to: to ?? null }, checkpoint);
  }

  @Cheap()
  @Query(() => String, { nullable, description: SEALS.latestSeal })
  latestSeal(@CurrentCaller() caller: Caller): Promise<string | null> {
    return this.seals.latestSeal(caller);
  }

  @Heavy({ memoryBytes: 8 * MIB, cost: 50 })
  @Query(() => LogProof, { nullable, description: SEALS.logProof })
  logProof(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of a record or of an edit.' }) id: string,
  ): Promise<LogProof | null> {
    return this.proofs.prove(caller, id);
  }

  @Heavy({ memoryBytes: 4 * MIB, cost: 100 })
  @Query(() => LogConsistency, { nullable, description: SEALS.logConsistency })
  logConsistency(
    @CurrentCaller() caller: Caller,
    @Args('from', { type: () => String, description: 'The earlier latestSeal.' }) from: string,
    @Args('to', { type: () => String, description: 'The later latestSeal.' }) to: string,
  ): Promise<LogConsistency> {
    return this.consistency.prove(caller, { from, to });
  }
}
