import type { Api } from '../../api/client';
import { ALL_SOURCES } from './sources';
import { doorOf, type Hook, type Source } from './webhook';

/** Form values of the webhooks of one URL: the events of each service. */
export interface Draft {
  url: string;
  description: string;
  events: Partial<Record<Source, readonly string[]>>;
}

/** Webhook that was created, and its secret. */
export interface Created {
  hook: Hook;
  secret: string;
}

export const draftOf = (hooks: readonly Hook[]): Draft => ({
  url: hooks[0]?.url ?? '',
  description: hooks[0]?.description ?? '',
  events: Object.fromEntries(hooks.map(({ source, events }) => [source, events ?? []])),
});

export const isComplete = ({ url, events }: Draft): boolean =>
  url !== '' && Object.values(events).some((some) => some.length > 0);

/** Returns the webhooks whose service has no more events in the form. */
export const removedBy = (hooks: readonly Hook[], { events }: Draft): readonly Hook[] =>
  hooks.filter(({ source }) => !events[source]?.length);

const isSame = (hook: Hook, { url, events, description }: Pick<Hook, 'url' | 'events' | 'description'>): boolean =>
  hook.url === url &&
  hook.description === description &&
  [...(hook.events ?? [])].sort().join() === [...(events ?? [])].sort().join();

/**
 * Brings the webhooks of one URL in step with the form, one service after another: updates, creates and deletes. `known` has them, and
 * receives the created ones, so that a repetition after an error creates none twice.
 */
export async function saveHooks(api: Api, known: Hook[], draft: Draft, onCreated: (created: Created) => void): Promise<void> {
  const { url, events } = draft;
  const description = draft.description || null;
  for (const source of ALL_SOURCES) {
    const door = doorOf(api, source);
    const wanted = events[source] ?? [];
    const hook = known.find((one) => one.source === source);
    if (hook && wanted.length === 0) {
      await door.deleteWebhook({ id: hook.id! });
      known.splice(known.indexOf(hook), 1);
    } else if (hook) {
      if (isSame(hook, { url, events: wanted, description })) continue; // the key may have no right to change it
      await door.updateWebhook({ id: hook.id!, input: { url, events: wanted, description } });
    } else if (wanted.length > 0) {
      const { webhook, secret } = await door.createWebhook({ input: { url, events: wanted, description } });
      const made = { ...webhook!, source };
      known.push(made);
      onCreated({ hook: made, secret: secret! });
    }
  }
}
