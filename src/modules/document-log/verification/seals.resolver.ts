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

const SEALS = {
  verifyLogs:
    'Verifies the records, edits and blocks created between from and to (both inclusive and optional), ' +
    `at most ${asCount(MAX_VERIFIED)} records and edits per call; continue from checkedTo. ` +
    'With a checkpoint, a latestSeal stored elsewhere, it also detects a truncated log and a re-signed history. BAD_USER_INPUT for ' +
    `a checkpoint that is damaged or of another tenant, and if to is before from. ${HEAVY_BOUNDS}`,
  verifyLogsFrom: 'Earliest time of creation, inclusive; the first record by default.',
  verifyLogsTo: 'Latest time of creation, inclusive; the last record by default.',
  latestSeal:
    'Returns the signed checkpoint of the newest block, opaque, to store outside this system; null if nothing is sealed. ' +
    'FAILED_PRECONDITION if that block was changed.',
  logProof:
    'Proves that a record or an edit is in its sealed block. Null until it is sealed, ' +
    'about a second after writing. NOT_FOUND for an unknown id; FAILED_PRECONDITION if the block or its records were changed. ' +
    HEAVY_BOUNDS,
  logConsistency:
    `Proves that the checkpoint to continues the checkpoint from; each is a latestSeal. Covers at most ${asCount(MAX_STEPS)} ` +
    'blocks per call. BAD_USER_INPUT for a checkpoint that is damaged, of another tenant or another key, and if from is the ' +
    `later one; FAILED_PRECONDITION if the blocks do not link them. ${HEAVY_BOUNDS}`,
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
    @Args('checkpoint', { type: () => String, nullable, description: 'A latestSeal stored elsewhere.' })
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
    @Args('from', { type: () => String, description: 'Earlier latestSeal.' }) from: string,
    @Args('to', { type: () => String, description: 'Later latestSeal.' }) to: string,
  ): Promise<LogConsistency> {
    return this.consistency.prove(caller, { from, to });
  }
}
