import { DotsHorizontalIcon } from '@radix-ui/react-icons';
import { Link, useLocation } from 'wouter';
import { useDescription } from '../api/api-context';
import { openConsole } from '../api/calls';
import { type ServiceName, touches } from '../api/scope';
import { session } from '../api/session';
import { ActionMenu, Hint } from '../ui/controls';
import { chooseTheme, useTheme } from '../ui/theme';
import { chooseUtc, useUtc } from '../ui/zone';
import { PLACES, type Place } from './places';
import styles from './shell.module.css';

const CONSOLES: readonly (readonly [ServiceName, string])[] = [
  ['file-management', 'Files'],
  ['document-rendering', 'Rendering'],
  ['websockets-manager', 'WebSockets'],
  ['document-log', 'Document log'],
  ['email', 'Email'],
  ['admin', 'Administration'],
];

/** Navigation, and the current key at its foot. */
export function Rail({ onShortcuts, onCalls }: { onShortcuts: () => void; onCalls: () => void }) {
  const { scope, tenant, name, prefix } = useDescription();
  const theme = useTheme();
  const isInUtc = useUtc();
  const consoles = CONSOLES.filter(([service]) => touches(scope, service));
  return (
    <nav className={styles.rail} aria-label="Pages">
      <div className={styles.brand}>
        <img src="/studio/icon.svg" alt="" />
        <span className={styles.word}>Studio</span>
      </div>
      <ul className={styles.places}>
        {PLACES.map((place) => (
          <li key={place.path}>
            <PlaceLink place={place} isRefused={place.service !== undefined && !touches(scope, place.service)} />
          </li>
        ))}
      </ul>
      <div className={styles.foot}>
        <div className={styles.tenant}>
          <strong className="truncate" title={tenant.name}>
            {tenant.name}
          </strong>
          {name ? (
            <span className="muted truncate" title={`${name} (${prefix}…)`}>
              {name}
            </span>
          ) : (
            <code className="muted">{prefix}…</code>
          )}
        </div>
        <ActionMenu
          trigger={
            <button type="button" className={styles.place} aria-label="Menu">
              <DotsHorizontalIcon aria-hidden />
              <span className={styles.word}>Menu</span>
            </button>
          }
          entries={[
            { label: 'API requests', onSelect: onCalls },
            ...consoles.map(([service, word]) => ({
              label: `GraphQL console: ${word}`,
              onSelect: () => openConsole(service),
            })),
            { label: 'Shortcuts', onSelect: onShortcuts },
            { label: isInUtc ? 'Show local times' : 'Show times in UTC', onSelect: () => chooseUtc(!isInUtc) },
            theme !== 'light' && { label: 'Light theme', onSelect: () => chooseTheme('light') },
            theme !== 'dark' && { label: 'Dark theme', onSelect: () => chooseTheme('dark') },
            theme !== 'system' && { label: 'Use system theme', onSelect: () => chooseTheme('system') },
            { label: 'Sign out', isDanger: true, onSelect: () => session.enter('') },
          ]}
        />
      </div>
    </nav>
  );
}

function PlaceLink({ place: { path, word, Icon }, isRefused }: { place: Place; isRefused: boolean }) {
  const [location] = useLocation();
  const isHere = path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`);
  return (
    <Hint text={isRefused ? `${word}: no access with this key` : word}>
      <Link
        href={path}
        className={isRefused ? `${styles.place} ${styles.refused}` : styles.place}
        aria-current={isHere ? 'page' : undefined}
      >
        <Icon aria-hidden />
        <span className={styles.word}>{word}</span>
      </Link>
    </Hint>
  );
}
