import { patternsOf, isPattern, type Topics } from '../models/topics.js';

/** Members of one key. A single one is stored without a set, to save memory. */
type Members<T extends object> = T | Set<T>;

const NONE: ReadonlySet<never> = new Set();

/** Adds a member to a key of a map. */
export function addMember<T extends object>(map: Map<string, Members<T>>, key: string, member: T): void {
  const there = map.get(key);
  if (there instanceof Set) there.add(member);
  else map.set(key, there && there !== member ? new Set([there, member]) : member);
}

/** Removes a member from a key of a map, and the key with its last member. */
export function removeMember<T extends object>(map: Map<string, Members<T>>, key: string, member: T): void {
  const there = map.get(key);
  if (there instanceof Set) there.delete(member);
  if (there === member || (there instanceof Set && there.size === 0)) map.delete(key);
}

/** Returns the members of a key. */
function membersOf<T extends object>(map: Map<string, Members<T>>, key: string): ReadonlySet<T> {
  const there = map.get(key);
  return there instanceof Set ? there : there ? new Set([there]) : NONE;
}

/** Connections by topic and by pattern. A lookup takes as long with 100,000 connections as with ten. */
export class TopicIndex<T extends object> {
  private readonly exact = new Map<string, Members<T>>();
  private readonly patterns = new Map<string, Members<T>>();

  add({ topic, topics = [] }: Topics, member: T): void {
    if (topic !== null) addMember(this.exact, topic, member);
    for (const one of topics) addMember(isPattern(one) ? this.patterns : this.exact, one, member);
  }

  remove({ topic, topics = [] }: Topics, member: T): void {
    if (topic !== null) removeMember(this.exact, topic, member);
    for (const one of topics) removeMember(isPattern(one) ? this.patterns : this.exact, one, member);
  }

  has(topic: string): boolean {
    return this.exact.has(topic);
  }

  hasPattern(pattern: string): boolean {
    return this.patterns.has(pattern);
  }

  /** Returns the members that name a topic exactly. */
  named(topic: string): ReadonlySet<T> {
    return membersOf(this.exact, topic);
  }

  /** Returns the members that receive a topic, each once. */
  of(topic: string): ReadonlySet<T> {
    const sets = this.patterns.size === 0 ? [] : patternsOf(topic).map((pattern) => membersOf(this.patterns, pattern));
    const found = [this.named(topic), ...sets].filter(({ size }) => size > 0);
    return found.length <= 1 ? (found[0] ?? NONE) : new Set(found.flatMap((set) => [...set]));
  }
}
