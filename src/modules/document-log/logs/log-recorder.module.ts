import { Module } from '@nestjs/common';
import { LogRotationModule } from '../seals/log-rotation.module.js';
import { LogRecorderService } from './log-recorder.service.js';

/** Lets other services write log records. Has no resolvers: they would appear in the schema of each importing module. */
@Module({ imports: [LogRotationModule], providers: [LogRecorderService], exports: [LogRecorderService] })
export class LogRecorderModule {}
