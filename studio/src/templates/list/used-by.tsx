import { Link } from 'wouter';
import { plural } from '../../ui/format';
import type { Using } from '../reading-parts';
import styles from '../templates.module.css';

const MOST_SHOWN = 50;

/** Templates that use an object, each with a link; undefined while loading. */
export function UsedBy({ using }: { using: Using | undefined }) {
  if (!using) return <p className="muted small">Searching templates…</p>;
  const { items, isWhole } = using;
  if (items.length === 0) return <p className="muted small">Not used by any template{!isWhole && ' searched so far'}.</p>;
  return (
    <section className="stack tight">
      <h2>{`Used by ${isWhole ? '' : 'at least '}${plural(items.length, 'template')}`}</h2>
      <p className="muted small">Changes apply to all of them.</p>
      <ul className={styles.usedBy}>
        {items.slice(0, MOST_SHOWN).map(({ id, name }) => (
          <li key={id}>
            <Link href={`/${id}`} className="break">
              {name}
            </Link>
          </li>
        ))}
      </ul>
      {items.length > MOST_SHOWN && <p className="muted small">and {items.length - MOST_SHOWN} more</p>}
    </section>
  );
}
