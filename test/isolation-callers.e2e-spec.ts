// @nightly postgresql: the calls are the same, and tenant-isolation tries the statements
import { SERVICES } from '../src/common/auth/scopes.js';
import { describeIsolation, type IsolationCaller } from './support/isolation.js';

/** Every service is tried at night. */
const TRIED = process.env.TEST_LONG === '1' ? SERVICES : (['document-rendering'] as const);

describeIsolation(
  TRIED.flatMap((service): IsolationCaller[] => [
    { name: "a stranger's token", service, by: 'token' },
    { name: 'the session of a person of another tenant', service, by: 'session' },
  ]),
);
