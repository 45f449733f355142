import { Module } from '@nestjs/common';
import { ReturnPaths } from '../return-paths/return-paths.js';
import { BouncesService } from './bounces.service.js';

/** Takes reports of bounces, for a server and for the command line. */
@Module({ providers: [ReturnPaths, BouncesService], exports: [ReturnPaths, BouncesService] })
export class BouncesModule {}
