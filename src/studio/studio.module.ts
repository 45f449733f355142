// Room: Serves the built Studio under its own content security policy.
import { Module } from '@nestjs/common';
import { StudioAssets } from './studio-assets.js';
import { StudioController } from './studio.controller.js';

/** Serves Studio, the application in `studio/` that does in a browser what the APIs offer. It has no rights of its own: each request brings a key. */
@Module({ providers: [StudioAssets, StudioController] })
export class StudioModule {}
