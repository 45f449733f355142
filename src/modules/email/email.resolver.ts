import { Query, Resolver } from '@nestjs/graphql';
import { AccessByScope } from '../../common/auth/access.guard.js';
import { Config } from '../../common/config/config.js';

@Resolver()
@AccessByScope('email')
export class EmailResolver {
  constructor(private readonly config: Config) {}

  @Query(() => String, {
    nullable: true,
    description: 'The version of the API, as semantic version. Any query entry of the service allows it.',
  })
  version(): string {
    return this.config.version;
  }
}
