import { type CanActivate, type ExecutionContext, Injectable, SetMetadata, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { GqlExecutionContext } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import { missingEntry, type OperationKind, type Service } from '../../auth/scopes.js';
import { AppError } from '../../base/app-error.js';
import type { GraphqlContext } from './graphql-context.js';

export const SERVICE_ACCESS = 'service-access';

/** States the service of a resolver. Each of its operations needs the scope entry <service>-api:<kind>:<name>. */
export const AccessByScope = (service: Service): ClassDecorator => SetMetadata(SERVICE_ACCESS, service) as ClassDecorator;

/** Lets a root field run if the caller's scope has its entry. Refuses the fields of a resolver that states no service. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(execution: ExecutionContext): boolean {
    // HTTP routes are decided by the request gate, before the body is read.
    if (execution.getType<string>() !== 'graphql') return true;
    const context = GqlExecutionContext.create(execution);
    this.check(execution.getClass(), context.getContext<GraphqlContext>(), context.getInfo<GraphQLResolveInfo>());
    return true;
  }

  /** @throws FORBIDDEN for a root field that the caller's scope has no entry for, or whose resolver states no service */
  check(resolver: Type, { service, caller }: GraphqlContext, { fieldName, operation }: GraphQLResolveInfo): void {
    if (this.declaredService(resolver) !== service) {
      throw new AppError('FORBIDDEN', `${fieldName} declares no access`);
    }
    const missing = missingEntry(caller.scope, service, operation.operation as OperationKind, fieldName);
    if (missing) throw new AppError('FORBIDDEN', `The key's scope lacks the entry ${missing}`);
  }

  private declaredService(resolver: Type): Service | undefined {
    return this.reflector.get<Service | undefined>(SERVICE_ACCESS, resolver);
  }
}
