// Room: Accepts bounce and complaint reports by API and SMTP, parses them, and records them. Signed return paths.
import { Module } from '@nestjs/common';
import { ReportReader } from './reports/report-reader.service.js';
import { ReturnPaths } from './return-paths.js';
import { BouncesService } from './bounces.service.js';

/** Processes bounce reports, for the server and the command line. */
@Module({ providers: [ReturnPaths, ReportReader, BouncesService], exports: [ReturnPaths, BouncesService] })
export class BouncesModule {}
