import { useQuery } from '@tanstack/react-query';
import { useApi, useRefusal } from '../../api/api-context';
import { keptLive } from '../../api/live';
import { ErrorNotice, NoPermission, Skeleton } from '../../ui/states';
import { CheckKept } from './check-kept';
import { NewestSeal } from './newest-seal';
import { VerifyLog } from './verify-log';
import styles from '../log.module.css';

/** Sealing state, verification, and checkpoints for later proof. */
export function SealTab() {
  const api = useApi();
  const refusal = useRefusal(['document-log', 'query', 'latestSeal']);
  const verifying = useRefusal(['document-log', 'query', 'verifyLogs']);
  const both = useRefusal(['document-log', 'query', 'latestSeal'], ['document-log', 'query', 'verifyLogs']);
  const { data, error, refetch, isPending } = useQuery({
    queryKey: ['log', 'seal'],
    queryFn: ({ signal }) => api.log.latestSeal({}, undefined, { signal }),
    enabled: !refusal,
    meta: keptLive('document-log'),
  });
  if (refusal && verifying && both) return <NoPermission what="view seals or verify the log" refusal={both} />;
  return (
    <div className="page-body">
      <div className={styles.seal}>
        <section className="card stack" aria-label="Latest seal">
          {refusal && <p className="muted">{refusal}, so the latest seal isn’t available.</p>}
          {error && <ErrorNotice error={error} tried="load the latest seal" onRetry={() => void refetch()} />}
          {!refusal && !error && isPending && <Skeleton lines={6} label="Loading latest seal" />}
          {data !== undefined && <NewestSeal seal={data} />}
        </section>
        <VerifyLog refusal={verifying} />
        <CheckKept seal={data ?? undefined} />
      </div>
    </div>
  );
}
