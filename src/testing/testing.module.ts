// Room: Routes for tests of applications. They exist with `TESTING_KEY` only.
import { Module } from '@nestjs/common';
import { TestingController } from './testing.controller.js';
import { TestingService } from './testing.service.js';

/** Lets tests of applications prepare and observe their own server. Part of a node only with TESTING_KEY. */
@Module({ controllers: [TestingController], providers: [TestingService] })
export class TestingModule {}
