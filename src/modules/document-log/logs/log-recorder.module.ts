import { Module } from '@nestjs/common';
import { LogRotationModule } from '../seals/log-rotation.module.js';
import { LogRecorderService } from './log-recorder.service.js';

/** Lets other services record what they do. Has no resolvers: the schema of a module that imports this one would include them. */
@Module({ imports: [LogRotationModule], providers: [LogRecorderService], exports: [LogRecorderService] })
export class LogRecorderModule {}
