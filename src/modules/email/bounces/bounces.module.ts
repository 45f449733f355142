// Room: Accepts reports by API and SMTP, and records them.
import { Module } from '@nestjs/common';
import { ReportReader } from '../bounce-reports/report-reader.service.js';
import { ReturnPaths } from '../return-paths/return-paths.js';
import { BouncesService } from './bounces.service.js';

/** Takes reports of bounces, for a server and for the command line. */
@Module({ providers: [ReturnPaths, ReportReader, BouncesService], exports: [ReturnPaths, BouncesService] })
export class BouncesModule {}
