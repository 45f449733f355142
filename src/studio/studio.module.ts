// Room: Serves the built Studio under its own content security policy.
import { Module } from '@nestjs/common';
import { StudioAssets } from './studio-assets.js';
import { StudioController } from './studio.controller.js';

/** Serves Studio, the web application in `studio/` for the APIs. It has no rights of its own: each request contains a key. */
@Module({ providers: [StudioAssets, StudioController] })
export class StudioModule {}
