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
 * page: reads a page of rows, with limited size and time. Derived from `@PageItems`, so never declared.
 * heavy: runs in HeavyWork (`@Heavy`, or `Streams.route` for a route).
 * rendering: runs in the counted processes of RenderPool, with a memory limit each, and stops with its operation.
 * transfer: streams the content of one file in a slot of Transfers, and stops with its connection.
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

/** Caller, as far as heavy work needs it. */
interface Asking {
  tenantId: string;
  budget?: AnswerBudget;
  heavy?: HeavyWork;
  work?: Work;
}

type Method = (caller: Asking, ...given: unknown[]) => Promise<unknown>;

const stated = (work: WorkClass): MethodDecorator => Extensions({ work });

/** Class of a cheap route. */
export const CHEAP: WorkClass = { kind: 'cheap' };
/** Class of a route that moves the content of a file. */
export const TRANSFER: WorkClass = { kind: 'transfer' };
/** Cost of a rendering of any size, equal to a list of 50, so that many renderings in an operation cost more than one. */
const RENDERING_COST = 50;

/** Last sentences of the description of each heavy field. */
export const HEAVY_BOUNDS =
  'Identical queries from one tenant share a run that has not started. SERVICE_UNAVAILABLE if no slot frees up ' +
  `within ${asSeconds(MAX_WAIT_MS)} s.`;

/** Declares a root field as cheap. */
export const Cheap = (): MethodDecorator => stated(CHEAP);

/** Declares that a root field renders or checks a template in a process. */
export const Rendering = (): MethodDecorator => stated({ kind: 'rendering', cost: RENDERING_COST });

/** Declares that a root field prints a PDF in its own browser, which takes ten times as long as a rendering. */
export const Printing = (): MethodDecorator => stated({ kind: 'rendering', cost: 10 * RENDERING_COST });

/** Number of heavy fields. */
let heavyFields = 0;

/**
 * Declares a root field as heavy, and runs it in HeavyWork: with a slot, memory and turns, shared by identical queries, and stopped when
 * no caller waits. The first parameter of the method is the caller, whose `work` it passes on. The result must depend only on the
 * tenant and the other arguments, and its receivers must not change it.
 */
export function Heavy(needs: HeavyNeeds): MethodDecorator {
  return (target, name, descriptor) => {
    const resolve = descriptor.value as Method;
    // The number distinguishes classes of two services with the same name, whose answers must never be shared.
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

/** Returns the class of a root field; undefined if it declares none and returns no page. */
export function workOf(field: { extensions: object; type: GraphQLOutputType }): WorkClass | undefined {
  const { work } = field.extensions as { work?: WorkClass };
  return work ?? (isPage(field.type) ? { kind: 'page' } : undefined);
}

function isPage(type: GraphQLOutputType): boolean {
  const named = getNullableType(type);
  const { items } = isObjectType(named) ? named.getFields() : {};
  return items !== undefined && listSizeOf(items)?.isPage === true;
}
