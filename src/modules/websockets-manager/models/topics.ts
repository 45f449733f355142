/** Maximum topics of a connection, and their maximum total length: a token with all of them must fit into a URL. */
export const MAX_TOPICS = 100;
export const MAX_TOPICS_BYTES = 4_096;
/** Maximum slashes of a pattern, so that a push has few patterns to look up. */
export const MAX_PATTERN_LEVELS = 16;

const PATTERN_END = '/*';

/** Topics that a connection receives. */
export interface Topics {
  /** Exact topic of `topic` in `registerRecipient`. */
  topic: string | null;
  /** Topics and patterns of `topics` in `registerRecipient`, and of `changeTopics`. A pattern `a/b/*` matches all topics that begin with `a/b/`. */
  topics?: readonly string[];
}

export const isPattern = (topic: string): boolean => topic.endsWith(PATTERN_END);

/** Returns the beginning of the topics that a pattern matches. */
export const prefixOf = (pattern: string): string => pattern.slice(0, -1);

/** Returns the patterns that match a topic. */
export function patternsOf(topic: string): string[] {
  const patterns: string[] = [];
  for (let at = topic.indexOf('/', 1); at > 0 && patterns.length < MAX_PATTERN_LEVELS; at = topic.indexOf('/', at + 1)) {
    patterns.push(`${topic.slice(0, at)}${PATTERN_END}`);
  }
  return patterns;
}

/**
 * Returns true if a connection receives messages of a topic. A message without a topic goes to every connection, one with a topic only to
 * connections with that topic or with a pattern that matches it.
 */
export function receivesTopic({ topic: own, topics }: Topics, topic: string | null): boolean {
  if (topic === null || own === topic) return true;
  return topics?.some((one) => (isPattern(one) ? topic.startsWith(prefixOf(one)) : one === topic)) ?? false;
}

/** Returns all topics and patterns of a connection. */
export const allTopics = ({ topic, topics = [] }: Topics): string[] => (topic === null ? [...topics] : [topic, ...topics]);

/** Returns the topics in which a connection is present: a pattern observes topics without being present in them. */
export const presentIn = ({ topic, topics = [] }: Topics): string[] => {
  const named = topics.filter((one) => !isPattern(one));
  return topic === null ? named : [topic, ...named];
};

/** Validates a topic or pattern, beyond its length. Returns the error message, or undefined. */
export function patternFault(topic: string): string | undefined {
  const star = topic.indexOf('*');
  if (star < 0) return undefined;
  if (star < topic.length - 1 || !isPattern(topic) || topic.length < 3)
    return 'may contain * only at its end, after a topic and /';
  return topic.split('/').length - 1 > MAX_PATTERN_LEVELS ? `must have at most ${MAX_PATTERN_LEVELS} slashes` : undefined;
}

/** Checks the number and the total length of topics. Returns the error message, or undefined. */
export function topicsFault(topics: readonly string[]): string | undefined {
  if (topics.length > MAX_TOPICS) return `must have at most ${MAX_TOPICS} topics, has ${topics.length}`;
  const bytes = topics.reduce((sum, topic) => sum + Buffer.byteLength(topic), 0);
  return bytes > MAX_TOPICS_BYTES ? `must have at most ${MAX_TOPICS_BYTES} bytes together, has ${bytes}` : undefined;
}

/** Latest change of a topic. */
export type TopicChange = [topic: string, isAdded: boolean, atMs: number];

/** Applies the changes since a time to topics, in order. */
export function changedTopics({ topic, topics = [] }: Topics, changes: TopicChange[], sinceMs: number): Topics {
  const names = new Set(topics);
  let own = topic;
  for (const [name, isAdded, at] of changes) {
    if (at < sinceMs) continue;
    if (!isAdded) names.delete(name);
    if (!isAdded && own === name) own = null;
    if (isAdded && (own !== name || isPattern(name))) names.add(name);
  }
  return { topic: own, topics: [...names] };
}

/** Drops the last topics that exceed the limits of a connection. */
export function limitedTopics({ topic, topics = [] }: Topics): Topics {
  const kept = [...topics];
  while (kept.length > 0 && topicsFault(allTopics({ topic, topics: kept }))) kept.pop();
  return { topic, topics: kept };
}
