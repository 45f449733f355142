import type { Type } from '@nestjs/common';
import { Query, Resolver } from '@nestjs/graphql';
import type { Service } from '../auth/scopes.js';
import { Config } from '../config/config.js';
import { AccessByScope } from './access/access.guard.js';
import { Cheap } from '../scheduling/work-class.js';

/** Makes the resolver of `version`, which every service has, for the providers of a service's module. */
export function versionResolver(service: Service): Type {
  @Resolver()
  @AccessByScope(service)
  class VersionResolver {
    constructor(private readonly config: Config) {}

    @Cheap()
    @Query(() => String, {
      nullable: true,
      description: 'The version of the API, as semantic version. Any query entry of the service allows it.',
    })
    version(): string {
      return this.config.version;
    }
  }
  return VersionResolver;
}
