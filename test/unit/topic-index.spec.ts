import { jest } from '@jest/globals';
import { TopicIndex } from '../../src/modules/websockets-manager/sockets/topic-index.js';
import {
  allTopics,
  changedTopics,
  limitedTopics,
  patternsOf,
  receivesTopic,
  type TopicChange,
} from '../../src/modules/websockets-manager/models/topics.js';

const MEMBERS = 100_000;
const TOPICS = 20;

/** Topics of a member: one of its own or that of the ten, and others that it has in common with few. */
const topicsOf = (at: number): string[] => [
  at % 10_000 === 7 ? 'room/ten' : `own/${at}`,
  ...Array.from({ length: TOPICS - 1 }, (_, nth) => `t/${(at + nth * 5_000) % MEMBERS}${nth % 2 === 0 ? '' : '/*'}`),
];

it('a lookup among 100,000 members with 20 topics each finds the ten of a topic by two keys, without a walk', () => {
  const index = new TopicIndex<object>();
  const members = Array.from({ length: MEMBERS }, (_, at) => ({ at, topic: null, topics: topicsOf(at) }));
  for (const member of members) index.add(member, member);
  // The prototype of the index's own maps: the build runs in another realm than this test.
  const maps = Object.getPrototypeOf(Reflect.get(index, 'exact')) as Map<string, object>;
  const gets = jest.spyOn(maps, 'get');
  const walks = (['forEach', 'entries', 'keys', 'values'] as const).map((name) => jest.spyOn(maps, name));
  const found = index.of('room/ten');
  expect([found.size, gets.mock.calls.length, ...walks.map(({ mock }) => mock.calls.length)]).toEqual([10, 2, 0, 0, 0, 0]);
  jest.restoreAllMocks();
  expect([...found].every((member) => (member as { at: number }).at % 10_000 === 7)).toBe(true);
  for (const topic of ['t/5', 't/7/x', 't/5007/*', 'own/8', 'nobody']) {
    expect([...index.of(topic)]).toEqual(expect.arrayContaining(members.filter((member) => receivesTopic(member, topic))));
    expect(index.of(topic).size).toBe(members.filter((member) => receivesTopic(member, topic)).length);
  }
  for (const member of members) index.remove(member, member);
  expect([index.of('room/ten').size, index.has('t/5'), index.hasPattern('t/5/*')]).toEqual([0, false, false]);
});

it('a pattern matches what begins with it, down to 16 slashes', () => {
  expect(patternsOf('a/b/c')).toEqual(['a/*', 'a/b/*']);
  expect(patternsOf('a')).toEqual([]);
  expect(patternsOf('/a/')).toEqual(['/a/*']);
  expect(patternsOf('x/'.repeat(500))).toHaveLength(16);
});

it('changes of topics give the same topics however often they are applied, and drop those over the limits', () => {
  const changes: TopicChange[] = [
    ['old', true, 5],
    ['a', false, 10],
    ['b', true, 11],
    ['__proto__', true, 12],
  ];
  const once = changedTopics({ topic: 'a', topics: ['c'] }, changes, 10);
  expect(once).toEqual({ topic: null, topics: ['c', 'b', '__proto__'] });
  expect(changedTopics(once, changes, 10)).toEqual(once);
  const many = Array.from({ length: 150 }, (_, index) => `t${index}`);
  expect(allTopics(limitedTopics({ topic: 'one', topics: many }))).toEqual(['one', ...many.slice(0, 99)]);
});
