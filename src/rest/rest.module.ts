import { Module } from '@nestjs/common';
import { FileManagementModule } from '../modules/file-management/file-management.module.js';
import { ContentUpload } from './content-upload.js';
import { OperationRunner } from './operation-runner.js';
import { RestController } from './rest.controller.js';
import { RestOperations } from './rest-operations.js';

/** Serves the operations of all services as REST. */
@Module({ imports: [FileManagementModule], providers: [OperationRunner, RestOperations, ContentUpload, RestController] })
export class RestModule {}
