import { Link } from 'wouter';
import type { KeyDescription } from '../api/client';
import { formatLimit, LIMIT_WORDS, Meter } from '../ui/usage';
import { LIMIT_PAGES } from './attention';
import styles from './overview.module.css';

/** The usage of the tenant, with a meter where there is a limit. */
export function Usage({ limits }: { limits: KeyDescription['limits'] }) {
  return (
    <section aria-labelledby="usage" className="stack tight">
      <h2 id="usage">Usage</h2>
      <ul className={styles.figures}>
        {limits.map(({ name, used, limit }) => (
          <li key={name}>
            <Link href={LIMIT_PAGES[name]}>
              <span className="muted grow">{LIMIT_WORDS[name]}</span>
              <span className={styles.figure}>{formatLimit(name, used)}</span>
              {limit !== null && <span className="small muted">of {formatLimit(name, limit)}</span>}
            </Link>
            <Meter name={name} used={used} limit={limit} />
          </li>
        ))}
      </ul>
    </section>
  );
}
