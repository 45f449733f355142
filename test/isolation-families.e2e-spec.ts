// @nightly postgresql: the calls are the same, and tenant-isolation tries the statements
import { SERVICES } from '../src/common/auth/scopes.js';
import { describeIsolation, type IsolationCaller } from './support/isolation.js';

/** Every service is tried at night, also those whose objects nobody inherits. */
const TRIED = process.env.TEST_LONG === '1' ? SERVICES : (['document-rendering'] as const);

describeIsolation(
  TRIED.flatMap((service): IsolationCaller[] => [
    { name: "a sibling's key", service, by: 'key', relation: 'sibling' },
    { name: "the parent's key", service, by: 'key', relation: 'parent' },
  ]),
);
