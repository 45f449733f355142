import { Extensions } from '@nestjs/graphql';
import type { AnswerBudget } from '../bounds/answer-budget.js';
import { contentHash } from '../json/canonical-json.js';
import type { HeavyWork } from './heavy-work.js';
import type { HeavyNeeds, Work } from './work.js';

/**
 * Class of the work of a root field or route.
 * cheap: reads or writes a bounded number of rows by an index. page: a page of rows, whose size and time the pages bound.
 * heavy: everything else.
 */
export type WorkClass = { kind: 'cheap' } | { kind: 'page' } | ({ kind: 'heavy' } & HeavyNeeds);

declare module 'fastify' {
  interface FastifyContextConfig {
    work?: WorkClass;
  }
}

/** What a caller brings along that asks for heavy work. */
interface Asking {
  tenantId: string;
  budget?: AnswerBudget;
  heavy?: HeavyWork;
  work?: Work;
}

type Method = (caller: Asking, ...given: unknown[]) => Promise<unknown>;

const stated = (work: WorkClass): MethodDecorator => Extensions({ work });

/** States that a root field reads or writes a bounded number of rows by an index. */
export const Cheap = (): MethodDecorator => stated({ kind: 'cheap' });

/**
 * States that a root field is heavy, and runs it in HeavyWork: with a place, memory and turns, shared by those who ask the same,
 * and ended when nobody waits. The first parameter of the method is the caller, whose `work` it passes on; the result must
 * depend on the tenant and the other arguments alone, and must not be changed by who gets it.
 */
export function Heavy(needs: HeavyNeeds): MethodDecorator {
  return (target, name, descriptor) => {
    const resolve = descriptor.value as Method;
    const resolver = target.constructor.name;
    const heavy: Method = async function (this: unknown, caller, ...given) {
      if (!caller.heavy || !caller.budget || caller.work) return resolve.call(this, caller, ...given);
      const question = `${resolver}.${String(name)} ${contentHash(given.map((each) => each ?? null))}`;
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

/** Returns the class that a field of a schema states, if any. */
export function workOf(field: { extensions: object }): WorkClass | undefined {
  return (field.extensions as { work?: WorkClass }).work;
}
