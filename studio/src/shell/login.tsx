import { type FormEvent, useEffect, useState } from 'react';
import { PlatformError } from '../../../clients/js/src/errors';
import { describeKey } from '../api/key-description';
import { session } from '../api/session';
import { Button, TextField } from '../ui/controls';
import { Snippet } from '../ui/copy';
import { ErrorNotice } from '../ui/states';
import styles from './shell.module.css';

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
      <form className="stack" onSubmit={(event) => void enter(event)}>
        <TextField
          label="Service access key"
          hint="Stored in this tab until you close the browser. Sent only to this server."
          className="mono"
          type="password"
          autoFocus
          autoComplete="off"
          spellCheck={false}
          placeholder="psk_…"
          value={entered}
          onChange={setEntered}
        />
        <Button type="submit" look="primary" disabled={isBusy}>
          Sign in
        </Button>
      </form>
      {error !== undefined && error !== null && <ErrorNotice error={error} tried="sign in" />}
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
