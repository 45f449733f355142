import { Link } from 'wouter';
import type { KeyDescription, LimitName } from '../api/client';
import { formatLimit, LIMIT_WORDS, Meter } from '../ui/usage';

const PAGES: Readonly<Record<LimitName, string>> = {
  storedBytes: '/files',
  files: '/files',
  waitingMessages: '/push?status=PENDING',
  templates: '/templates',
  stylesheets: '/templates',
  mailsPerDay: '/email',
};

/** Shows the usage of the tenant beside its limits. */
export function Usage({ limits }: { limits: KeyDescription['limits'] }) {
  return (
    <section aria-labelledby="usage" className="stack tight">
      <h2 id="usage">Usage</h2>
      <ul className="usage">
        {limits.map(({ name, used, limit }) => (
          <li key={name}>
            <Link href={PAGES[name]} className="usage-item">
              <span className="small muted">{LIMIT_WORDS[name]}</span>
              <span className="usage-number">{formatLimit(name, used)}</span>
              <span className="small muted">{limit === null ? 'no limit' : `of ${formatLimit(name, limit)}`}</span>
            </Link>
            <Meter name={name} used={used} limit={limit} />
          </li>
        ))}
      </ul>
    </section>
  );
}
