import { Component, type MouseEvent, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { useDescription } from '../api/api-context';
import { isPerson } from '../api/caller';
import { useIsLost } from '../api/link';
import { rate, useRefusedUntil } from '../api/rate';
import { touches } from '../api/scope';
import { session, useKey } from '../api/session';
import { UploadTray } from '../files/uploads/upload-tray';
import { Button, Modal } from '../ui/controls';
import { formatClock, formatCount } from '../ui/format';
import { PageHead } from '../ui/page';
import { SHORTCUTS, useShortcut } from '../ui/shortcuts';
import { Empty, ErrorNotice, NoPermission, Skeleton } from '../ui/states';
import { useUtc } from '../ui/zone';
import { CallsDrawer } from './calls-drawer';
import { type Command, useCommands } from './commands';
import { Palette } from './palette';
import { type Place, PLACES } from './places';
import { useRecent } from './recent';
import { Rail } from './rail';
import styles from './shell.module.css';

const CHORD_MS = 1_500;
type Open = 'palette' | 'calls' | 'shortcuts';

/** Frame of every page: navigation, palette, and the bar for an unreachable server. */
export function Shell() {
  const [open, setOpen] = useState<Open>();
  const isLost = useIsLost();
  const refusedUntil = useRefusedUntil();
  const isInUtc = useUtc();
  const [, navigate] = useLocation();
  const close = () => setOpen(undefined);
  useShortcut('?', () => setOpen('shortcuts'));
  useShortcut('i', () => setOpen('calls'));
  useGoTo();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen((now) => (now === 'palette' ? undefined : 'palette'));
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const commands = useMemo<Command[]>(
    () => [
      ...PLACES.map(({ path, word, letter }) => ({
        id: `go ${path}`,
        group: 'Go to',
        word,
        run: () => navigate(path),
        keys: `G ${letter.toUpperCase()}`,
      })),
      { id: 'calls', group: 'Show', word: 'API requests', run: () => setOpen('calls'), keys: 'I' },
      { id: 'shortcuts', group: 'Show', word: 'Shortcuts', run: () => setOpen('shortcuts'), keys: '?' },
    ],
    [navigate],
  );
  useCommands(commands);
  useRecent();
  return (
    <div className={styles.shell}>
      <a className={`${styles.skip} button`} href="#content" onClick={skip}>
        Skip to content
      </a>
      {isLost && (
        <div className={styles.lost} role="status">
          Can’t reach the server. Retrying…
        </div>
      )}
      {refusedUntil > 0 && !isLost && (
        <div className={styles.lost} role="status">
          Rate limit reached: this key may spend {formatCount(rate.limit ?? 0)} points a minute. Updates resume at{' '}
          {formatClock(new Date(refusedUntil))}.
        </div>
      )}
      <Rail onShortcuts={() => setOpen('shortcuts')} onCalls={() => setOpen('calls')} />
      <main key={String(isInUtc)} id="content" tabIndex={-1}>
        <Switch>
          {PLACES.map((place) => (
            <Route key={place.path} path={place.path} nest={place.path !== '/'}>
              <PlaceOf place={place} />
            </Route>
          ))}
          {/* The address that the page of tenants had. */}
          <Route path="/keys/:id?">{({ id }) => <Redirect to={id ? `/tenants/${id}` : '/tenants'} replace />}</Route>
          <Route>
            <div className="page">
              <PageHead title="Page not found" />
              <Empty
                title="Nothing is at this URL"
                action={
                  <Link className="button" href="/">
                    Go to Overview
                  </Link>
                }
              >
                <p className="muted">Select a page in the menu, or press Ctrl K.</p>
              </Empty>
            </div>
          </Route>
        </Switch>
      </main>
      <UploadTray />
      <Palette isOpen={open === 'palette'} onClose={close} />
      <CallsDrawer isOpen={open === 'calls'} onClose={close} />
      <Modal title="Shortcuts" isOpen={open === 'shortcuts'} onClose={close}>
        <dl className="facts">
          {SHORTCUTS.map(({ keys, does }) => (
            <div key={keys} className="fact">
              <dt>
                <kbd className="kbd">{keys}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </Modal>
    </div>
  );
}

/** Skips to the content without a # in the URL, which would be another page. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#content')?.focus();
}

function PlaceOf({ place: { service, word, Room } }: { place: Place }) {
  const { scope } = useDescription();
  const isOfPerson = isPerson(useKey());
  if (service && !touches(scope, service)) {
    return (
      <div className="page">
        <PageHead title={word} />
        <NoPermission
          what={`use ${word}`}
          refusal={`This key needs ${service}-api:query:*`}
          action={!isOfPerson && <Button onClick={() => session.enter('')}>Use another key</Button>}
        />
      </div>
    );
  }
  return (
    <FaultBoundary place={word}>
      <Suspense
        fallback={
          <div className="page">
            <PageHead title={word} />
            <div className="page-body">
              <Skeleton lines={6} label={`Loading ${word}`} />
            </div>
          </div>
        }
      >
        <Room />
      </Suspense>
    </FaultBoundary>
  );
}

/** G, then the letter of a page. */
function useGoTo(): void {
  const [, navigate] = useLocation();
  const [isWaiting, setWaiting] = useState(false);
  const begun = useRef(false);
  useShortcut('g', () => setWaiting(true));
  useEffect(() => {
    if (!isWaiting) return undefined;
    begun.current = true;
    const press = (event: KeyboardEvent) => {
      const place = PLACES.find(({ letter }) => letter === event.key);
      setWaiting(false);
      if (!place) return;
      event.preventDefault();
      event.stopPropagation();
      navigate(place.path);
    };
    addEventListener('keydown', press, { capture: true, once: true });
    const timer = setTimeout(() => setWaiting(false), CHORD_MS);
    return () => {
      removeEventListener('keydown', press, { capture: true });
      clearTimeout(timer);
    };
  }, [isWaiting, navigate]);
}

/** Shows an error of a page in its place, instead of an empty window. Another page resets it. */
class FaultBoundary extends Component<{ place: string; children: ReactNode }, { fault?: unknown; place?: string }> {
  override state: { fault?: unknown; place?: string } = {};

  static getDerivedStateFromError(fault: unknown): { fault: unknown } {
    return { fault };
  }

  static getDerivedStateFromProps(
    { place }: { place: string },
    state: { fault?: unknown; place?: string },
  ): { fault?: unknown; place: string } | null {
    return state.place === place ? null : { fault: undefined, place };
  }

  override render(): ReactNode {
    if (this.state.fault === undefined) return this.props.children;
    return (
      <div className="page">
        <div className="page-body">
          <ErrorNotice error={this.state.fault} tried="show this page" onRetry={() => location.reload()} />
        </div>
      </div>
    );
  }
}
