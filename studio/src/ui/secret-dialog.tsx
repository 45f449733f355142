import { DownloadIcon } from '@radix-ui/react-icons';
import { useEffect, useState } from 'react';
import { Button, Modal } from './controls';
import { Snippet } from './copy';
import { CheckboxField } from './fields';
import { saveFile } from './save-file';

interface SecretDialogProps {
  title: string;
  /** Each secret with the name of its variable in `.env`. */
  secrets: readonly (readonly [variable: string, secret: string])[];
  /** Purpose of the secret. */
  about: string;
  onDone: () => void;
}

/** Shows secrets once. It closes only after they were copied, or confirmed as safe. */
export function SecretDialog({ title, secrets, about, onDone }: SecretDialogProps) {
  const [isSafe, setSafe] = useState(false);
  useEffect(() => {
    if (isSafe) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isSafe]);
  const copied = () => setSafe(true);
  const [[, first] = []] = secrets;
  const lines = secrets.map(([variable, secret]) => `${variable}=${secret}`).join('\n');
  return (
    <Modal title={title} isOpen isDismissible={false} onClose={onDone}>
      <p className="muted">
        {about} You won’t be able to see {secrets.length === 1 ? 'it' : 'them'} again.
      </p>
      {secrets.length === 1 && <Snippet label="the secret" code={first!} onCopied={copied} />}
      <div className="stack tight">
        <span className="label">For your .env file</span>
        <Snippet label="the .env lines" code={lines} onCopied={copied} />
        <span>
          <Button
            size="small"
            onClick={() => {
              saveFile('.env', [`${lines}\n`], 'text/plain');
              copied();
            }}
          >
            <DownloadIcon aria-hidden />
            Download .env
          </Button>
        </span>
      </div>
      <CheckboxField label={secrets.length === 1 ? 'I’ve copied it' : 'I’ve copied them'} value={isSafe} onChange={setSafe} />
      <div className="actions">
        <Button look="primary" refusal={isSafe ? undefined : 'Copy or download first, or tick the box'} onClick={onDone}>
          Done
        </Button>
      </div>
    </Modal>
  );
}
