import { DownloadIcon } from '@radix-ui/react-icons';
import { useEffect, useState } from 'react';
import { Button, Modal } from './controls';
import { Snippet } from './copy';
import { CheckboxField } from './fields';
import { saveFile } from './save-file';

interface SecretDialogProps {
  title: string;
  secret: string;
  /** Variable name in the `.env` line. */
  variable: string;
  /** Purpose of the secret. */
  about: string;
  onDone: () => void;
}

/** Shows a secret once. It closes only after the secret was copied, or confirmed as safe. */
export function SecretDialog({ title, secret, variable, about, onDone }: SecretDialogProps) {
  const [isSafe, setSafe] = useState(false);
  useEffect(() => {
    if (isSafe) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isSafe]);
  const copied = () => setSafe(true);
  const line = `${variable}=${secret}`;
  return (
    <Modal title={title} isOpen isDismissible={false} onClose={onDone}>
      <p className="muted">{about} You won’t be able to see it again.</p>
      <Snippet label="the secret" code={secret} onCopied={copied} />
      <div className="stack tight">
        <span className="label">For your .env file</span>
        <Snippet label="the .env line" code={line} onCopied={copied} />
        <span>
          <Button
            size="small"
            onClick={() => {
              saveFile('.env', [`${line}\n`], 'text/plain');
              copied();
            }}
          >
            <DownloadIcon aria-hidden />
            Download .env
          </Button>
        </span>
      </div>
      <CheckboxField label="I’ve copied it" checked={isSafe} onChange={setSafe} />
      <div className="actions">
        <Button look="primary" refusal={isSafe ? undefined : 'Copy or download it first, or tick the box'} onClick={onDone}>
          Done
        </Button>
      </div>
    </Modal>
  );
}
