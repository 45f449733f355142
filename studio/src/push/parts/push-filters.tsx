import type { Filter } from '../../ui/filter-bar';
import { STATES } from '../model/filters';
import { NoMatch } from '../../ui/no-match';

const TIMES: readonly Filter[] = [
  { kind: 'time', word: 'Sent', from: 'from', to: 'to' },
  { kind: 'time', word: 'Expires', from: 'expiresFrom', to: 'expiresTo' },
];

/** The filters of broadcasts. */
export const GLOBAL_FILTERS: readonly Filter[] = TIMES;

const OF_MESSAGES: readonly Filter[] = [
  { kind: 'choice', name: 'status', also: ['by'], word: 'Status', values: Object.entries(STATES) },
  { kind: 'text', name: 'topic', word: 'Topic', hint: 'Exact topic. Case-sensitive.' },
  ...TIMES,
  { kind: 'text', name: 'global', word: 'Broadcast', hint: 'The ID of a broadcast.' },
];

/** The filters of messages; those that wait can be counted by recipient. */
export const messageFilters = (isWaiting: boolean): readonly Filter[] =>
  isWaiting ? [...OF_MESSAGES, { kind: 'flag', name: 'by', word: 'Group by recipient' }] : OF_MESSAGES;

/** Shown when no object has the recipient and topic of the filters. */
export const NoExactMatch = ({ what }: { what: string }) => (
  <NoMatch what={what}>Recipients and topics match exactly. Case-sensitive.</NoMatch>
);
