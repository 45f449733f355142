import { type CanActivate, type ExecutionContext, Injectable, SetMetadata, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { GqlExecutionContext } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import { lacksEntry } from '../../auth/caller.js';
import { missingEntry, type OperationKind, type Service } from '../../auth/scopes.js';
import { AppError } from '../../base/app-error.js';
import { isBound, TokenBounds } from '../../tokens/token-bounds.js';
import type { GraphqlContext } from './graphql-context.js';

export const SERVICE_ACCESS = 'service-access';

/** Declares the service of a resolver. Each of its operations requires the scope entry <service>-api:<kind>:<name>. */
export const AccessByScope = (service: Service): ClassDecorator => SetMetadata(SERVICE_ACCESS, service) as ClassDecorator;

/** Admits a root field if the caller's scope has its entry. Refuses fields of a resolver without a declared service. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly bounds: TokenBounds,
  ) {}

  canActivate(execution: ExecutionContext): boolean | Promise<boolean> {
    // The request gate decides on HTTP routes, before the body is read.
    if (execution.getType<string>() !== 'graphql') return true;
    const context = GqlExecutionContext.create(execution);
    const [info, args] = [context.getInfo<GraphQLResolveInfo>(), context.getArgs<Record<string, unknown>>()];
    const checking = this.check(execution.getClass(), context.getContext<GraphqlContext>(), info, args);
    return checking ? checking.then(() => true) : true;
  }

  /**
   * Checks a root field. Returns a promise only if files have to be looked up for a bound token.
   * @throws FORBIDDEN if the caller's scope lacks its entry, its resolver declares no service, or it is beyond the bounds of a token
   */
  check(
    resolver: Type,
    { service, caller }: GraphqlContext,
    { fieldName, operation }: GraphQLResolveInfo,
    args: Record<string, unknown>,
  ): Promise<void> | undefined {
    if (this.declaredService(resolver) !== service) {
      throw new AppError('FORBIDDEN', `${fieldName} declares no access`);
    }
    const missing = missingEntry(caller.scope, service, operation.operation as OperationKind, fieldName);
    if (missing) throw new AppError('FORBIDDEN', lacksEntry(caller, missing));
    const { token } = caller;
    return token && isBound(token) ? this.bounds.check(token, service, fieldName, args) : undefined;
  }

  private declaredService(resolver: Type): Service | undefined {
    return this.reflector.get<Service | undefined>(SERVICE_ACCESS, resolver);
  }
}
