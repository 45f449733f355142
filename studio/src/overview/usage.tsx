import { Link } from 'wouter';
import type { KeyDescription } from '../api/client';
import { formatLimit, LIMIT_WORDS, Meter } from '../ui/usage';
import { LIMIT_PAGES } from './attention';

/** The usage of the tenant: a meter where there is a limit, and the other numbers in one line. */
export function Usage({ limits }: { limits: KeyDescription['limits'] }) {
  const limited = limits.filter(({ limit }) => limit !== null);
  const others = limits.filter(({ limit }) => limit === null);
  return (
    <section aria-labelledby="usage" className="stack tight">
      <h2 id="usage">Usage</h2>
      {limited.length > 0 && (
        <ul className="usage">
          {limited.map(({ name, used, limit }) => (
            <li key={name}>
              <Link href={LIMIT_PAGES[name]} className="usage-item">
                <span className="small muted">{LIMIT_WORDS[name]}</span>
                <span className="usage-number">{formatLimit(name, used)}</span>
                <span className="small muted">of {formatLimit(name, limit!)}</span>
              </Link>
              <Meter name={name} used={used} limit={limit} />
            </li>
          ))}
        </ul>
      )}
      <ul className="usage-line small">
        {others.map(({ name, used }) => (
          <li key={name}>
            <Link href={LIMIT_PAGES[name]}>
              <span className="muted">{LIMIT_WORDS[name]}</span> {formatLimit(name, used)}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
