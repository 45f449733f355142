// @nightly postgresql: the calls are the same, and tenant-isolation tries the statements
import { SERVICES } from '../src/common/auth/scopes.js';
import { Api } from './support/api.js';
import { describeIsolation } from './support/isolation.js';
import { placesOf } from './support/schema-walk.js';

const KEYS = SERVICES.map((service) => ({ name: "a stranger's key", service, by: 'key' as const }));

describeIsolation(KEYS, (world) => {
  it('cannot be reached by an admin operation with a tenant key', async () => {
    const { email, owner } = world();
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
