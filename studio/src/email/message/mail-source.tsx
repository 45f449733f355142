import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { Button, Modal } from '../../ui/controls';
import { CopyButton } from '../../ui/copy';
import { saveFile } from '../../ui/save-file';
import { ErrorNotice, Skeleton } from '../../ui/states';
import { MAY_READ_SOURCE } from '../mails';
import styles from '../email.module.css';

/** Button that shows and saves the source of a mail, as sent. */
export function MailSource({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  const refusal = useRefusal(MAY_READ_SOURCE);
  return (
    <>
      <Button size="small" refusal={refusal} onClick={() => setOpen(true)}>
        View source
      </Button>
      <Modal title="Source" form="drawer" isOpen={isOpen} onClose={() => setOpen(false)}>
        {isOpen && <Source id={id} />}
      </Modal>
    </>
  );
}

function Source({ id }: { id: string }) {
  const { email } = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['email', 'source', id],
    queryFn: () => email.messageSource({ ID: id }),
    staleTime: 60_000,
  });
  if (error) return <ErrorNotice error={error} tried="load the source" onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton lines={9} label="Loading source" />;
  if (data === null) return <p className="notice">The content of this email isn’t available.</p>;
  return (
    <div className="stack">
      <div className="row wrap">
        <span className="grow muted small">Without Bcc, signatures and the bytes of attachments</span>
        <Button size="small" onClick={() => saveFile(`${id}.eml`, [data], 'message/rfc822')}>
          Download .eml
        </Button>
      </div>
      <div className="snippet">
        <pre className={`${styles.text} mono`} tabIndex={0} aria-label="Source">
          {data}
        </pre>
        <CopyButton text={data} label="Copy source" />
      </div>
    </div>
  );
}
