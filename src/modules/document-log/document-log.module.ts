import { Module } from '@nestjs/common';
import { DocumentLogResolver } from './document-log.resolver.js';
import { LogSealer } from './seals/log-sealer.worker.js';
import { LogVerifierService } from './seals/log-verifier.service.js';
import { Leaves } from './seals/leaves.js';
import { SealSigner } from './seals/seal-signer.js';
import { SealsService } from './seals/seals.service.js';
import { SealsResolver } from './seals.resolver.js';

/** Keeps who changed which attribute of which document. What was answered is stored, and a later change of it is noticed. */
@Module({ providers: [DocumentLogResolver, SealsResolver, Leaves, SealSigner, SealsService, LogSealer, LogVerifierService] })
export class DocumentLogModule {}
