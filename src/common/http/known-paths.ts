import type { FastifyInstance, RouteOptions } from 'fastify';

interface KnownRoute {
  path: RegExp;
  isWildcard: boolean;
  route: RouteOptions;
  scope: FastifyInstance;
}

/** A path that is served, though not for the requested method. */
export interface KnownPath {
  methods: string[];
  route: RouteOptions;
  /** Scope in which its routes were registered; its error handler shapes the refusals. */
  scope: FastifyInstance;
}

/** Distinguishes a wrong method from a wrong path, which Fastify does not. */
export class KnownPaths {
  private readonly routes: KnownRoute[] = [];

  add(route: RouteOptions, scope: FastifyInstance): void {
    const escaped = route.url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
    const pattern = escaped.replace(/:\w+/g, '[^/]+').replace(/\*/g, '.*');
    this.routes.push({ path: new RegExp(`^${pattern}$`), isWildcard: route.url.includes('*'), route, scope });
  }

  /** Returns undefined if no route has this path. A wildcard adds its methods, but does not make a path exist. */
  find(path: string): KnownPath | undefined {
    const matching = this.routes.filter((known) => known.path.test(path));
    const first = matching.find(({ isWildcard }) => !isWildcard);
    if (!first) return undefined;
    const methods = new Set(matching.flatMap(({ route }) => route.method));
    return { methods: [...methods].sort(), route: first.route, scope: first.scope };
  }
}
