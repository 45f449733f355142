import { useQuery } from '@tanstack/react-query';
import { countedFetch } from '../api/rate';
import { keptLive } from '../api/live';
import { Status, type StatusKind } from '../ui/status';

interface NodeHealth {
  status: 'ok' | 'degraded' | 'unavailable';
}

const STATES: Readonly<Record<NodeHealth['status'], { kind: StatusKind; word: string }>> = {
  ok: { kind: 'good', word: 'All systems operational' },
  degraded: { kind: 'wait', word: 'Some services are limited' },
  unavailable: { kind: 'bad', word: 'Services are unavailable' },
};

/** Health of the node that responds. */
export function Health() {
  const { data } = useQuery({
    queryKey: ['health'],
    queryFn: async ({ signal }) => (await (await countedFetch('/health/ready', { signal })).json()) as NodeHealth,
    meta: keptLive('health'),
  });
  const state = data && STATES[data.status];
  return state ? <Status {...state} /> : null;
}
