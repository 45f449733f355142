import { Extensions } from '@nestjs/graphql';
import type { AnswerBudget } from './operation-budget.js';
import { getNullableType, type GraphQLOutputType, isObjectType } from 'graphql';
import { listSizeOf } from './list-size.js';
import { contentHash } from '../base/json.js';
import type { HeavyWork } from './heavy-work.js';
import type { HeavyNeeds, Work } from './heavy-run.js';
import { MAX_WAIT_MS } from './tenant-semaphore.js';
import { asSeconds } from '../base/amounts.js';

/**
 * Class of the work of a root field or route.
 * cheap: reads or writes a stated number of rows by an index, or starts background work.
 * page: a page of rows, whose size and time the pages bound. Derived from `@PageItems`, so nobody states it.
 * heavy: runs in HeavyWork (`@Heavy`, or `Streams.route` for a route).
 * rendering: runs in the counted processes of RenderPool, with a memory limit each, and ends with its operation.
 * transfer: moves the bytes of one file in a counted place of Transfers, streamed, and ends with its connection.
 */
export type WorkClass =
  | { kind: 'cheap' }
  | { kind: 'page' }
  | ({ kind: 'heavy' } & HeavyNeeds)
  | { kind: 'rendering'; cost: number }
  | { kind: 'transfer' };

declare module 'fastify' {
  interface FastifyContextConfig {
    work?: WorkClass;
  }
}

/** The part of a caller that heavy work needs. */
interface Asking {
  tenantId: string;
  budget?: AnswerBudget;
  heavy?: HeavyWork;
  work?: Work;
}

type Method = (caller: Asking, ...given: unknown[]) => Promise<unknown>;

const stated = (work: WorkClass): MethodDecorator => Extensions({ work });

/** The class of a route that is cheap. */
export const CHEAP: WorkClass = { kind: 'cheap' };
/** The class of a route that moves the bytes of a file. */
export const TRANSFER: WorkClass = { kind: 'transfer' };
/** Cost of a rendering of any size, that of a list of 50, so that an operation with many of them costs more than one. */
const RENDERING_COST = 50;

/** Ends the description of each heavy field. */
export const HEAVY_BOUNDS =
  'Equal queries of a tenant share a run that has not begun. SERVICE_UNAVAILABLE when the tenant or the node has no place for it ' +
  `within ${asSeconds(MAX_WAIT_MS)} s.`;

/** States that a root field is cheap. */
export const Cheap = (): MethodDecorator => stated(CHEAP);

/** States that a root field renders or checks a template in a process. */
export const Rendering = (): MethodDecorator => stated({ kind: 'rendering', cost: RENDERING_COST });

/** States that a root field prints a PDF in a browser of its own, which takes ten times as much as a rendering. */
export const Printing = (): MethodDecorator => stated({ kind: 'rendering', cost: 10 * RENDERING_COST });

/** How many fields are heavy. */
let heavyFields = 0;

/**
 * States that a root field is heavy, and runs it in HeavyWork: with a place, memory and turns, shared by those who ask the same,
 * and ended when nobody waits. The first parameter of the method is the caller, whose `work` it passes on; the result must
 * depend on the tenant and the other arguments alone, and must not be changed by who gets it.
 */
export function Heavy(needs: HeavyNeeds): MethodDecorator {
  return (target, name, descriptor) => {
    const resolve = descriptor.value as Method;
    // With a number: classes of two services have the same name, and their answers must never be shared.
    heavyFields += 1;
    const field = `${target.constructor.name}.${String(name)} ${heavyFields}`;
    const heavy: Method = async function (this: unknown, caller, ...given) {
      if (!caller.heavy || !caller.budget || caller.work) return resolve.call(this, caller, ...given);
      const question = `${field} ${contentHash(given.map((each) => each ?? null))}`;
      const asked = { question, memoryBytes: needs.memoryBytes };
      return caller.heavy.ask(caller.tenantId, caller.budget, asked, (work) => {
        return resolve.call(this, { ...caller, budget: work, work }, ...given);
      });
    };
    for (const key of Reflect.getMetadataKeys(resolve)) {
      Reflect.defineMetadata(key, Reflect.getMetadata(key, resolve), heavy);
    }
    descriptor.value = heavy as typeof descriptor.value;
    stated({ kind: 'heavy', ...needs })(target, name, descriptor);
  };
}

/** Returns the class of a root field; nothing if it states none and returns no page. */
export function workOf(field: { extensions: object; type: GraphQLOutputType }): WorkClass | undefined {
  const { work } = field.extensions as { work?: WorkClass };
  return work ?? (isPage(field.type) ? { kind: 'page' } : undefined);
}

function isPage(type: GraphQLOutputType): boolean {
  const named = getNullableType(type);
  const { items } = isObjectType(named) ? named.getFields() : {};
  return items !== undefined && listSizeOf(items)?.isPage === true;
}
