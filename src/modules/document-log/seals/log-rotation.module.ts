import { Module } from '@nestjs/common';
import { SealKeys } from './seal-keys.js';
import { LeafService } from '../records/leaf.service.js';
import { KeyChainsService } from './key-chains.service.js';
import { SealsService } from './seals.service.js';
import { LogRotationService } from './log-rotation.service.js';

/** Makes and checks everything that the keys of the log protect. A module of its own, so that the command line needs no server. */
const KEYED = [SealKeys, LeafService, KeyChainsService, SealsService, LogRotationService];
@Module({ providers: KEYED, exports: KEYED })
export class LogRotationModule {}
