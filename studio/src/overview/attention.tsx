import { CheckCircledIcon, ChevronRightIcon, CrossCircledIcon, ExclamationTriangleIcon } from '@radix-ui/react-icons';
import { type UseQueryResult, useIsFetching, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useApi, useDescription, useRefusal } from '../api/api-context';
import type { Right } from '../api/scope';
import { keptLive } from '../api/live';
import { undeliveredReason } from '../email/words';
import { capital } from '../ui/faults';
import { baseName } from '../files/model/file-record';
import { readGiven } from '../log/seals/checkpoint';
import { healthOf as healthOfStream, useStreams } from '../log/streams/stream';
import { formatCount, plural } from '../ui/format';
import { formatLimit, LIMIT_WORDS, NEARLY_FULL } from '../ui/usage';
import { useNow } from '../ui/use-now';
import { healthOf as healthOfHook } from '../webhooks/model/health';
import { useHooks } from '../webhooks/model/reads';
import styles from './overview.module.css';

const DAY_MS = 86_400_000;
/** Sealing takes about a second; beyond this, something is wrong. */
const SEALED_WITHIN_MS = 60_000;
const LOOKED_AT = 50;

/** A problem with its reason, and a link. */
interface Wrong {
  kind: 'bad' | 'wait';
  what: string;
  reason?: string | undefined;
  href: string;
}

/** Problems that need action, most severe first; one line without any. */
export function Attention() {
  const mails = useFailedMails();
  const files = useFailedFiles();
  const bounces = useBounces();
  const log = useUnsealed();
  const all = [...mails, ...files, ...useFailingWebhooks(), ...useFailingStreams(), ...log, ...useLimitsNear(), ...bounces];
  const isRead = useIsFetching({ queryKey: ['overview'], predicate: ({ state }) => state.status === 'pending' }) === 0;
  if (all.length === 0) {
    return (
      <p className={styles.well} role="status">
        {isRead ? (
          <>
            <CheckCircledIcon aria-hidden /> Nothing needs your attention
          </>
        ) : (
          <span className="skeleton width-3" />
        )}
      </p>
    );
  }
  const gravestFirst = [...all.filter(({ kind }) => kind === 'bad'), ...all.filter(({ kind }) => kind === 'wait')];
  return (
    <section className="stack tight" aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      <ul className={`${styles.rows} ${styles.wrapped}`}>
        {gravestFirst.map(({ kind, what, reason, href }) => (
          <li key={`${href} ${what}`}>
            <Link href={href}>
              {kind === 'bad' ? (
                <CrossCircledIcon aria-hidden className={styles.bad} />
              ) : (
                <ExclamationTriangleIcon aria-hidden className={styles.wait} />
              )}
              <span className={styles.what}>{what}</span>
              <span className={`grow truncate muted ${styles.reason}`} title={reason}>
                {reason}
              </span>
              <ChevronRightIcon aria-hidden className={styles.end} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Reads live data if the key may; undefined otherwise, and until it is read. */
function useLook<T>(key: string, rights: readonly Right[], read: (signal: AbortSignal) => Promise<T>): T | undefined {
  const refusal = useRefusal(...rights);
  const { data }: UseQueryResult<T> = useQuery({
    queryKey: ['overview', key],
    queryFn: ({ signal }) => read(signal),
    enabled: !refusal,
    meta: keptLive(rights[0]?.[0]),
  });
  return refusal ? undefined : data;
}

const since = () => new Date(Date.now() - DAY_MS).toISOString();
const counted = (items: readonly unknown[], more: unknown) => `${formatCount(items.length)}${more ? '+' : ''}`;

/** Lists equal reasons once, with their number, the most frequent first. */
function grouped(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons.filter(Boolean)) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return sorted.map(([reason, count]) => (count > 1 ? `${reason} (${formatCount(count)})` : reason)).join(' · ');
}

function useFailedMails(): Wrong[] {
  const { email } = useApi();
  const data = useLook('failed emails', [['email', 'query', 'messages']], (signal) =>
    email.messages(
      { filter: { status: 'FAILED', createdAt: { from: since() } }, limit: LOOKED_AT },
      { items: { lastError: true, to: { address: true } }, nextToken: true },
      { signal },
    ),
  );
  if (!data || data.items.length === 0) return [];
  const what = data.items.length === 1 ? '1 email failed today' : `${counted(data.items, data.nextToken)} emails failed today`;
  const reasons = data.items.map(({ lastError, to }) => (lastError ? undeliveredReason(lastError, to?.[0]?.address) : ''));
  return [{ kind: 'bad', what, reason: grouped(reasons), href: `/email?status=FAILED&from=${encodeURIComponent(since())}` }];
}

function useFailedFiles(): Wrong[] {
  const { files } = useApi();
  const data = useLook('failed files', [['file-management', 'query', 'files']], (signal) =>
    files.files(
      { filter: { status: 'error' }, limit: LOOKED_AT },
      { items: { name: true, error: { message: true } }, nextToken: true },
      { signal },
    ),
  );
  const [first] = data?.items ?? [];
  if (!data || !first) return [];
  const what = data.items.length === 1 ? '1 file failed' : `${counted(data.items, data.nextToken)} files failed`;
  return [{ kind: 'bad', what, reason: `${baseName(first.name)}: ${first.error?.message ?? ''}`, href: '/files?status=error' }];
}

function useBounces(): Wrong[] {
  const { email } = useApi();
  const data = useLook('bounces', [['email', 'query', 'suppressions']], (signal) =>
    email.suppressions(
      { limit: LOOKED_AT },
      { items: { address: true, reason: true, createdAt: true }, nextToken: true },
      { signal },
    ),
  );
  const from = since();
  const recent = (data?.items ?? []).filter(
    ({ reason, createdAt }) => (reason === 'HARD_BOUNCE' || reason === 'COMPLAINT') && (createdAt ?? '') >= from,
  );
  if (recent.length === 0) return [];
  const what = plural(recent.length, 'address was suppressed today', 'addresses were suppressed today');
  const names = recent.slice(0, 3).map(({ address }) => address);
  return [{ kind: 'wait', what, reason: names.join(', '), href: '/email/suppressions' }];
}

function useUnsealed(): Wrong[] {
  const { log } = useApi();
  const rights: Right[] = [
    ['document-log', 'query', 'logs'],
    ['document-log', 'query', 'latestSeal'],
  ];
  const data = useLook('seal', rights, async (signal) => {
    const [seal, { items }] = await Promise.all([
      log.latestSeal({}, undefined, { signal }),
      log.logs({ limit: 1 }, { items: { createdAt: true } }, { signal }),
    ]);
    return { sealedAt: seal ? readGiven(seal).checkpoint?.sealedAt : undefined, writtenAt: items[0]?.createdAt };
  });
  const now = useNow();
  const written = data?.writtenAt ? new Date(data.writtenAt).getTime() : undefined;
  if (written === undefined || now - written < SEALED_WITHIN_MS) return [];
  if (data?.sealedAt && new Date(data.sealedAt).getTime() >= written) return [];
  return [
    {
      kind: 'bad',
      what: 'The log is not being sealed',
      reason: 'New records can’t be verified until they are sealed',
      href: '/log/seal',
    },
  ];
}

function useFailingWebhooks(): Wrong[] {
  return useHooks().hooks.flatMap((hook): Wrong[] => {
    const { kind, word, reason } = healthOfHook(hook);
    if (kind !== 'bad') return [];
    const what = `Webhook ${word[0]!.toLowerCase()}${word.slice(1)}`;
    return [{ kind, what, reason: [hook.url, reason].filter(Boolean).join(': '), href: `/webhooks/${hook.source}/${hook.id}` }];
  });
}

function useFailingStreams(): Wrong[] {
  const refusal = useRefusal(['document-log', 'query', 'logStreams']);
  const { data } = useStreams(!refusal);
  return (refusal ? [] : (data ?? [])).flatMap((stream): Wrong[] => {
    const { kind, reason } = healthOfStream(stream);
    if (kind !== 'bad') return [];
    return [{ kind, what: 'Log stream failing', reason: `${stream.name}: ${reason ?? ''}`, href: `/log/streams/${stream.id}` }];
  });
}

function useLimitsNear(): Wrong[] {
  return useDescription().limits.flatMap(({ name, used, limit }): Wrong[] => {
    if (limit === null || used < limit * NEARLY_FULL) return [];
    const isFull = used >= limit;
    const reason = `${formatLimit(name, used)} of ${formatLimit(name, limit)} used`;
    const what = `${capital(LIMIT_WORDS[name])}: limit ${isFull ? 'reached' : 'near'}`;
    return [{ kind: isFull ? 'bad' : 'wait', what, reason, href: LIMIT_PAGES[name] }];
  });
}

/** Links to the page of each limit. */
export const LIMIT_PAGES = {
  storedBytes: '/files/storage',
  files: '/files',
  waitingMessages: '/push?status=PENDING',
  templates: '/templates',
  stylesheets: '/templates/stylesheets',
  mailsPerDay: '/email',
  waitingEvents: '/webhooks',
} as const;
