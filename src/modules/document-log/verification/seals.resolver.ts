import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { Cheap, Heavy } from '../../../common/scheduling/work-class.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/caller.decorator.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { LogConsistency, LogProof, LogVerification } from './seal.model.js';
import { LogConsistencyService } from './log-consistency.service.js';
import { LogVerifierService } from './log-verifier.service.js';
import { LogProofService } from './log-proof.service.js';
import { SealsService } from '../seals/seals.service.js';
import { MIB } from '../../../common/base/amounts.js';
import { SEALS } from './seals.descriptions.js';

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
