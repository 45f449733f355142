import type { Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { ExternalContextCreator } from '@nestjs/core/helpers/external-context-creator.js';
import type { GraphQLResolveInfo } from 'graphql';
import { AccessGuard } from './access.guard.js';
import type { GraphqlContext } from './graphql-context.js';

type Resolve = (source: unknown, args: object, context: GraphqlContext, info: GraphQLResolveInfo) => unknown;
type Create = ExternalContextCreator['create'];
type Parts = { create(instance: object, callback: unknown, moduleKey: string): unknown[] };
interface Enhancers {
  guardsContextCreator: Parts;
  interceptorsContextCreator: Parts;
  pipesContextCreator: Parts;
}

/** Metadata key of Nest's @UseFilters. */
const FILTERS = '__exceptionFilters__';

/**
 * Replaces Nest's wrapper around each resolver method, for the modules of the endpoints. Nest runs guards, pipes and interceptors
 * in eight promises. A method with no other guard than ours is called directly, after the same check; any other gets Nest's wrapper.
 * `file(ID)` then takes 0.86 of the processor time. Reads three private members of Nest: if a version renames them, the server
 * does not start.
 */
export const DIRECT_RESOLVERS = {
  provide: ExternalContextCreator,
  inject: [ModulesContainer],
  useFactory: (modules: ModulesContainer): Pick<ExternalContextCreator, 'create'> => ({
    create: (...method) => {
      const nest = nestsOwn(modules);
      return (directCall(nest, ...method) as ReturnType<Create> | undefined) ?? nest.create(...method);
    },
  }),
};

/** Returns undefined for a method with a guard, pipe or interceptor other than our guard. */
function directCall(nest: ExternalContextCreator, ...method: Parameters<Create>): Resolve | undefined {
  const [instance, callback, methodName, metadataKey, paramsFactory, contextId, , options, contextType] = method;
  const resolver = instance.constructor as Type;
  const { guardsContextCreator, interceptorsContextCreator, pipesContextCreator } = nest as unknown as Enhancers;
  const moduleKey = nest.getContextModuleKey(resolver);
  const partsOf = (creator: Parts): unknown[] => creator.create(instance, callback, moduleKey);
  const guards = (options?.guards ?? options === undefined) ? partsOf(guardsContextCreator) : [];
  const { argsLength, getParamsMetadata } = nest.getMetadata(instance, methodName, metadataKey, paramsFactory, contextType);
  const parameters = getParamsMetadata(moduleKey);
  const hasMore =
    contextId !== undefined ||
    guards.some((guard) => !(guard instanceof AccessGuard)) ||
    partsOf(interceptorsContextCreator).length > 0 ||
    partsOf(pipesContextCreator).length > 0 ||
    parameters.some(({ pipes }) => pipes.length > 0) ||
    [resolver, callback].some((target) => Reflect.hasMetadata(FILTERS, target));
  if (hasMore) return undefined;
  return (source, args, context, info) => {
    let checking: Promise<void> | undefined;
    for (const guard of guards as AccessGuard[]) checking = guard.check(resolver, context, info, args as Record<string, unknown>);
    const call = (): unknown => {
      const values: unknown[] = Array.from({ length: argsLength });
      for (const { index, extractValue } of parameters) values[index] = extractValue(source, args, context, info);
      return callback.apply(instance, values);
    };
    return checking ? checking.then(call) : call();
  };
}

function nestsOwn(modules: ModulesContainer): ExternalContextCreator {
  for (const module of modules.values()) {
    if (module.name === 'InternalCoreModule') return module.getProviderByKey(ExternalContextCreator).instance;
  }
  throw new Error('Nest has no ExternalContextCreator');
}
