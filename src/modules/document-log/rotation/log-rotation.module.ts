// Room: Moves logs to the key of a new secret.
import { Module } from '@nestjs/common';
import { SealKeys } from '../keys/seal-keys.js';
import { LeafService } from '../leaves/leaf.service.js';
import { KeyChainsService } from '../seals/key-chains.service.js';
import { SealsService } from '../seals/seals.service.js';
import { LogRotationService } from './log-rotation.service.js';

/** Makes and checks everything that the keys of the log protect. A module of its own, so that the command line needs no server. */
const KEYED = [SealKeys, LeafService, KeyChainsService, SealsService, LogRotationService];
@Module({ providers: KEYED, exports: KEYED })
export class LogRotationModule {}
