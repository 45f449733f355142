import type { Service } from '../../src/common/auth/scopes.js';
import { TestIssuer } from '../nodes/issuer.mjs';
import { Api, type GraphqlAnswer } from './api.js';
import { Email } from './email.js';
import { Family, type Member } from './family.js';
import { isText, strangerOf, TELLING } from './isolation-places.js';
import { type Login, World } from './isolation-worlds.js';
import { SignedIn } from './people.js';
import { type Place, placesOf } from './schema-walk.js';

const PLACED = ['String', 'ID'];
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The finding at a place where the comparison with an unknown object says nothing. */
const UNPROVEN = 'an own object is as an unknown one, so this proves nothing';
const UNKNOWN_PLACE =
  'test/support/isolation-worlds.ts knows no object for it; add one to objects(), or the name to TEXTS if it names none';
const operationOf = ({ name }: Place) => name.split('.')[0]!;

/** Places of operations that are refused to everything but a key, whatever they name. */
const FOR_KEYS = /^(createAccessToken|denyAccess)\b/;

/** Callers that are made while others are used, since making one is mostly waiting. */
const AHEAD = 3;

/** Fields that count the caller's own changes, so that they differ between two calls. */
const COUNTS = ['version'];

/** Reduces an answer to what tells it apart: its errors without the sent value, and the shape of its data. */
function seenIn({ status, data, errors }: GraphqlAnswer, place: string, value: string): string {
  const plain = (text: string) => text.replaceAll(value, '<value>').replace(UUID, '<id>');
  const shape = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(shape);
    if (typeof part === 'object' && part !== null)
      return Object.fromEntries(
        Object.entries(part).map(([k, v]) => [k, COUNTS.includes(k) ? 'count' : k === 'code' ? v : shape(v)]),
      );
    return typeof part === 'string' ? 'text' : part;
  };
  const refusals = errors?.map(({ message, path, extensions }) => ({
    ...(TELLING.includes(place) ? {} : { message: plain(message) }),
    path,
    extensions: plain(JSON.stringify(extensions)),
  }));
  return JSON.stringify({ status, data: shape(data), refusals });
}

/** Caller of the operations of a service: how it signs in, and how its tenant is related to the owner. */
export interface IsolationCaller {
  name: string;
  service: Service;
  by: 'key' | 'token' | 'session';
  relation?: 'sibling' | 'parent';
}

/** Plants an object of another tenant at every argument of the operations that callers send. */
export function describeIsolation(
  callers: readonly IsolationCaller[],
  more?: (world: () => { email: Email; owner: World }) => void,
): void {
  describe('an object of another tenant', () => {
    let email: Email;
    let owner: World;
    let issuer: TestIssuer;
    let family: Family;
    /** Parent of the owner and the caller, if they are siblings. */
    let parent: Member;
    beforeAll(async () => {
      issuer = await TestIssuer.start();
      email = await Email.start({ RETURN_PATH_DOMAIN: 'bounces.sender.example', ...issuer.settings() });
      owner = await World.make(email);
      family = await Family.of(email.server);
      parent = await family.tenant();
    });
    afterAll(async () => {
      await owner?.leave();
      await email?.stop();
      await issuer?.stop();
    });

    const asPerson: Login = async (key, personId) => {
      const response = await fetch(`${email.server.address}/key`, { headers: { 'x-api-key': key } });
      const { tenant } = (await response.json()) as { tenant: { id: string; name: string } };
      issuer.people[personId] = { name: personId, groups: [`editor:${tenant.name}`] };
      return (await SignedIn.as(personId, email.server)).in(tenant.id);
    };
    const RELATE = {
      none: async (): Promise<void> => undefined,
      sibling: async (caller: Member, owned: Member): Promise<void> => {
        for (const one of [owned, caller]) await family.setParent(one, parent);
      },
      parent: (caller: Member, owned: Member): Promise<void> => family.setParent(owned, caller),
    };

    it.each(callers.map((one) => [one.name, one.service, one] as const))(
      'is nonexistent for %s in every operation of %s, and stays unchanged',
      async (_, service, { by, relation = 'none' as const }) => {
        const login = by === 'session' ? asPerson : undefined;
        const ahead: Promise<World>[] = [];
        const next = (): Promise<World> => {
          while (ahead.length <= AHEAD) ahead.push(World.make(email, service, login));
          return ahead.shift()!;
        };
        let caller = await next();
        const credentialOf = async (world: World) => (by === 'token' ? world.token(service) : world.key);
        let credential = await credentialOf(caller);
        const related = async () => {
          if (relation !== 'none') await RELATE[relation](await family.member(caller.key), await family.member(owner.key));
        };
        await family.setParent(await family.member(owner.key), null);
        await related();
        const renew = async () => {
          await caller.leave();
          caller = await next();
          credential = await credentialOf(caller);
          await related();
        };
        const api = () => new Api(email.server.address, service, credential);
        const places = (await placesOf(api(), (place) => caller.known(service, place))).filter(({ scalar }) =>
          PLACED.includes(scalar),
        );
        const faultsAt = async (place: Place, planted: string): Promise<string[]> => {
          const send = (value: string) => place.send(value, api());
          const stranger = strangerOf(planted);
          const unknown = seenIn(await send(stranger), place.name, stranger);
          const answer = await send(planted);
          const seen = seenIn(answer, place.name, planted);
          const own = caller.objectAt(service, place.name)!;
          const isRefused = by !== 'key' && FOR_KEYS.test(place.name);
          const isUnproven =
            !isRefused && caller.isReference(service, place.name) && seenIn(await send(own), place.name, own) === unknown;
          return [
            ...(seen === unknown ? [] : [`${place.name}: ${seen} is not ${unknown}`]),
            ...(JSON.stringify(answer).replaceAll(planted, '').includes(owner.secret)
              ? [`${place.name}: shows what the owner wrote`]
              : []),
            ...(isUnproven ? [`${place.name}: ${UNPROVEN}: ${unknown}`] : []),
          ];
        };
        const wrong: string[] = [];
        let tried = 0;
        const before = await owner.state();
        for (const operation of new Set(places.map(operationOf))) {
          const ofIt = places.filter((place) => operationOf(place) === operation);
          // An operation may have taken away what the next one needs.
          if (ofIt[0]!.kind === 'mutation') await renew();
          for (const place of ofIt) {
            const planted = owner.objectAt(service, place.name);
            if (planted === undefined) {
              if (!isText(service, place.name)) wrong.push(`${place.name}: ${UNKNOWN_PLACE}`);
              continue;
            }
            tried += 1;
            let faults = await faultsAt(place, planted);
            // So may another place of the same operation.
            if (faults.some((fault) => fault.includes(UNPROVEN))) {
              await renew();
              faults = [...faults.filter((fault) => !fault.includes(UNPROVEN)), ...(await faultsAt(place, planted))];
            }
            wrong.push(...faults);
          }
          const after = await owner.state();
          if (after !== before) wrong.push(`${operation}: changed the owner's objects: ${after} was ${before}`);
        }
        await Promise.all([caller, ...ahead].map(async (world) => (await world).leave()));
        expect(wrong).toEqual([]);
        expect(tried).toBeGreaterThan(5);
      },
    );

    more?.(() => ({ email, owner }));
  });
}
