import { DotsHorizontalIcon } from '@radix-ui/react-icons';
import { Suspense, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useDescription } from '../api/api-context';
import { isPerson } from '../api/caller';
import { openConsole } from '../api/calls';
import { lazyPart } from '../api/load-part';
import { type ServiceName, touches } from '../api/scope';
import { session, useKey } from '../api/session';
import { ActionMenu, Hint } from '../ui/controls';
import { chooseTheme, useTheme } from '../ui/theme';
import { useMedia } from '../ui/use-layout';
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

const TenantSwitch = lazyPart(async () => (await import('../people/tenant-switch')).TenantSwitch);
const signOut = async () => (await import('../people/session')).signOut();

/** Places that a phone has room for. The others are in its menu. */
const PLACES_OF_PHONE = 5;
const PHONE = '(max-width: 640px)';

/** Navigation, and the current key at its foot. */
export function Rail({ onShortcuts, onCalls }: { onShortcuts: () => void; onCalls: () => void }) {
  const { scope, tenant, name, prefix } = useDescription();
  const theme = useTheme();
  const isInUtc = useUtc();
  const isPhone = useMedia(PHONE);
  const [, navigate] = useLocation();
  const isRefused = ({ service }: Place) => service !== undefined && !touches(scope, service);
  const allowed = PLACES.filter((place) => !isRefused(place));
  const shown = isPhone ? allowed.slice(0, PLACES_OF_PHONE) : PLACES;
  const others = isPhone ? allowed.slice(PLACES_OF_PHONE) : [];
  const isInMenu = useIsHere(others.map(({ path }) => path));
  const isOfPerson = isPerson(useKey());
  const [isSwitching, setSwitching] = useState(false);
  const consoles = CONSOLES.filter(([service]) => touches(scope, service));
  return (
    <nav className={styles.rail} aria-label="Pages">
      <div className={styles.brand}>
        <img src="/studio/icon.svg" alt="" />
        <span className={styles.word}>Studio</span>
      </div>
      <ul className={styles.places}>
        {shown.map((place) => (
          <li key={place.path}>
            <PlaceLink place={place} isRefused={isRefused(place)} />
          </li>
        ))}
      </ul>
      <div className={styles.foot}>
        <div className={styles.tenant}>
          <strong className="truncate" title={tenant.name}>
            {tenant.name}
          </strong>
          {name ? (
            <span className="muted truncate" title={isOfPerson ? name : `${name} (${prefix}…)`}>
              {name}
            </span>
          ) : (
            <code className="muted">{prefix}…</code>
          )}
        </div>
        <ActionMenu
          trigger={
            <button
              type="button"
              className={styles.place}
              aria-label={isPhone ? 'More' : 'Menu'}
              aria-current={isInMenu ? 'page' : undefined}
            >
              <DotsHorizontalIcon aria-hidden />
              <span className={styles.word}>{isPhone ? 'More' : 'Menu'}</span>
            </button>
          }
          entries={[
            ...others.map(({ path, word, Icon }) => ({
              label: word,
              icon: <Icon aria-hidden />,
              onSelect: () => navigate(path),
            })),
            { label: 'API requests', onSelect: onCalls, isApart: others.length > 0 },
            ...consoles.map(([service, word]) => ({
              label: `GraphQL console: ${word}`,
              onSelect: () => openConsole(service),
            })),
            { label: 'REST reference (OpenAPI)', onSelect: () => void window.open('/openapi.json', '_blank') },
            { label: 'Shortcuts', onSelect: onShortcuts, isApart: true },
            { label: isInUtc ? 'Show local times' : 'Show times in UTC', onSelect: () => chooseUtc(!isInUtc) },
            theme !== 'light' && { label: 'Light theme', onSelect: () => chooseTheme('light') },
            theme !== 'dark' && { label: 'Dark theme', onSelect: () => chooseTheme('dark') },
            theme !== 'system' && { label: 'Use system theme', onSelect: () => chooseTheme('system') },
            isOfPerson && { label: 'Switch tenant', isApart: true, onSelect: () => setSwitching(true) },
            {
              label: 'Sign out',
              isDanger: true,
              isApart: !isOfPerson,
              onSelect: () => (isOfPerson ? void signOut() : session.enter('')),
            },
          ]}
        />
        {isSwitching && (
          <Suspense>
            <TenantSwitch onClose={() => setSwitching(false)} />
          </Suspense>
        )}
      </div>
    </nav>
  );
}

/** Returns whether one of these places is shown. */
function useIsHere(paths: readonly string[]): boolean {
  const [location] = useLocation();
  return paths.some((path) => location === path || (path !== '/' && location.startsWith(`${path}/`)));
}

function PlaceLink({ place: { path, word, Icon }, isRefused }: { place: Place; isRefused: boolean }) {
  const isHere = useIsHere([path]);
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
