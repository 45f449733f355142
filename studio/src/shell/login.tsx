import { type FormEvent, useEffect, useState } from 'react';
import { PlatformError } from '../../../clients/js/src/errors';
import { isForPeople } from '../api/caller';
import { describeKey } from '../api/key-description';
import { session } from '../api/session';
import { Button, TextField } from '../ui/controls';
import { Snippet } from '../ui/copy';
import { ErrorNotice } from '../ui/states';
import styles from './shell.module.css';

/** Returns whether another key is needed, and nothing else is wrong. */
const isOfKey = (error: unknown): error is PlatformError =>
  error instanceof PlatformError && ['UNAUTHENTICATED', 'BAD_USER_INPUT'].includes(error.code);

/** Form for a key, which is tried before it is stored. `onEntered` is for a refused key that works again. */
export function Login({ fault, onEntered }: { fault?: unknown; onEntered?: () => void }) {
  const [entered, setEntered] = useState('');
  const [error, setError] = useState<unknown>(fault);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => void (document.title = 'Sign in · Studio'), []);
  const enter = async (event: FormEvent) => {
    event.preventDefault();
    const key = entered.trim();
    setBusy(true);
    try {
      if (!/^[\x21-\x7e]+$/.test(key)) {
        throw new PlatformError('BAD_USER_INPUT', 'Enter a key that begins with psk_, without spaces or line breaks.');
      }
      await describeKey(key);
      session.enter(key);
      onEntered?.();
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  };
  return (
    <main className={styles.login}>
      <div className={styles.brand}>
        <img src="/studio/icon.svg" alt="" width={28} height={28} />
        <h1>Sign in to Studio</h1>
      </div>
      {isForPeople && (
        <a className="button primary" href={`/session/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`}>
          Sign in with your account
        </a>
      )}
      <form className="stack" onSubmit={(event) => void enter(event)}>
        <TextField
          label="Service access key"
          hint="Stored in this tab until you close the browser. Sent only to this server."
          className="mono"
          type="password"
          autoFocus={!isForPeople}
          autoComplete="off"
          spellCheck={false}
          placeholder="psk_…"
          fault={isOfKey(error) ? error.message : undefined}
          value={entered}
          onChange={setEntered}
        />
        <Button type="submit" look={isForPeople ? undefined : 'primary'} disabled={isBusy}>
          {isForPeople ? 'Sign in with this key' : 'Sign in'}
        </Button>
      </form>
      {isOfKey(error) && (
        <p role="alert" className="visually-hidden">
          {error.message}
        </p>
      )}
      {error !== undefined && error !== null && !isOfKey(error) && <ErrorNotice error={error} tried="sign in" />}
      <div className="stack tight">
        <h2>No key yet?</h2>
        <p className="muted small">
          The server prints a key with all permissions on its first start. To create a key for files only:
        </p>
        <Snippet
          label="command to create a key"
          code={'npm run -s keys create -- --tenant demo --scope "file-management-api:query:* file-management-api:mutation:*"'}
        />
      </div>
    </main>
  );
}
