import { Module } from '@nestjs/common';
import { SealKeys } from './seal-keys.js';
import { LeafService } from '../records/leaf.service.js';
import { KeyChainsService } from './key-chains.service.js';
import { SealsService } from './seals.service.js';
import { LogRotationService } from './log-rotation.service.js';

/** Signs and verifies seals, and rotates their keys. Separate module, so that the command line works without a server. */
const KEYED = [SealKeys, LeafService, KeyChainsService, SealsService, LogRotationService];
@Module({ providers: KEYED, exports: KEYED })
export class LogRotationModule {}
