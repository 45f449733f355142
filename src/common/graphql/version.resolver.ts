import type { Type } from '@nestjs/common';
import { Query, Resolver } from '@nestjs/graphql';
import type { Service } from '../auth/scopes.js';
import { Config } from '../config/config.js';
import { AccessByScope } from './access/access.guard.js';
import { Cheap } from '../scheduling/work-class.js';

/** Creates the resolver of `version`, part of every service, for the providers of its module. */
export function versionResolver(service: Service): Type {
  @Resolver()
  @AccessByScope(service)
  class VersionResolver {
    constructor(private readonly config: Config) {}

    @Cheap()
    @Query(() => String, {
      nullable: true,
      description: 'Semantic version of the API. Requires any query entry of the service.',
    })
    version(): string {
      return this.config.version;
    }
  }
  return VersionResolver;
}
