import { useQuery } from '@tanstack/react-query';
import { Status, type StatusKind } from '../ui/status';

const LOOK_MS = 15_000;
const ANXIOUS_LOOK_MS = 2_000;

interface NodeHealth {
  status: 'ok' | 'degraded' | 'unavailable';
}

const STATES: Readonly<Record<NodeHealth['status'], { kind: StatusKind; word: string }>> = {
  ok: { kind: 'good', word: 'All systems operational' },
  degraded: { kind: 'wait', word: 'Some services are limited' },
  unavailable: { kind: 'bad', word: 'Services are unavailable' },
};

/** Whether the node that answers can do its work. */
export function Health() {
  const { data } = useQuery({
    queryKey: ['health'],
    queryFn: async ({ signal }) => (await (await fetch('/health/ready', { signal })).json()) as NodeHealth,
    refetchInterval: ({ state }) => (state.data?.status === 'ok' ? LOOK_MS : ANXIOUS_LOOK_MS),
  });
  const state = data && STATES[data.status];
  return state ? <Status {...state} /> : null;
}
