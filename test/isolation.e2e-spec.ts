// @nightly postgresql: the calls are the same, and tenant-isolation tries the statements
import { SERVICES } from '../src/common/auth/scopes.js';
import { Api, type GraphqlAnswer } from './support/api.js';
import { Email } from './support/email.js';
import { isText, strangerOf, TELLING } from './support/isolation-places.js';
import { World } from './support/isolation-worlds.js';
import { type Place, placesOf } from './support/schema-walk.js';

const PLACED = ['String', 'ID'];
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The finding at a place where the comparison with an unknown object says nothing. */
const UNPROVEN = 'an own object is as an unknown one, so this proves nothing';
const UNKNOWN_PLACE =
  'test/support/isolation-worlds.ts knows no object for it; add one to objects(), or the name to TEXTS if it names none';
const operationOf = ({ name }: Place) => name.split('.')[0]!;

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

describe('an object of another tenant', () => {
  let email: Email;
  let owner: World;
  beforeAll(async () => {
    email = await Email.start({ RETURN_PATH_DOMAIN: 'bounces.sender.example' });
    owner = await World.make(email);
  });
  afterAll(async () => {
    await owner?.leave();
    await email?.stop();
  });

  it.each(SERVICES)('is treated by every operation of %s as nonexistent, and stays unchanged', async (service) => {
    let caller = await World.make(email);
    const renew = async () => {
      await caller.leave();
      caller = await World.make(email, service);
    };
    const api = () => new Api(email.server.address, service, caller.key);
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
      const isUnproven = caller.isReference(service, place.name) && seenIn(await send(own), place.name, own) === unknown;
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
    await caller.leave();
    expect(wrong).toEqual([]);
    expect(tried).toBeGreaterThan(5);
  });

  it('cannot be reached by an admin operation with a tenant key', async () => {
    const places = await placesOf(await email.server.api('admin'), {});
    const operations = new Map(places.map(({ name, kind }) => [name.split('.')[0]!, kind]));
    expect(operations.size).toBeGreaterThan(10);
    const [caller, before] = [new Api(email.server.address, 'admin', await email.server.createKey()), await owner.state()];
    for (const [operation, kind] of operations) {
      expect([operation, await caller.refusal(`${kind}{${operation}}`)]).toMatchObject([operation, { code: 'FORBIDDEN' }]);
    }
    expect(await owner.state()).toBe(before);
  });
});
