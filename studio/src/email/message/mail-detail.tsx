import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { useRead } from '../../api/use-read';
import { type Command, useCommands } from '../../shell/commands';
import { Button, Modal } from '../../ui/controls';
import { CopyButton, CopyText } from '../../ui/copy';
import { NoDetail } from '../../ui/no-detail';
import { Detail, Facts, Sides } from '../../ui/page';
import { ErrorNotice, Skeleton } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { failedOf } from '../compose/draft/read-like';
import { plural } from '../../ui/format';
import { CONTENT, isOnItsWay, isScheduled, MAIL, type Mail, MAY_READ_SOURCE, MAY_SEND, pathOfTag, type Tag } from '../mails';
import { NO_SUBJECT, wordOfMail, written } from '../words';
import { MailContent } from './mail-content';
import { MailHistory } from './mail-history';
import { MailRecipients } from './mail-recipients';
import { WaitingMail } from './waiting-mail';
import { saveFile } from '../../ui/save-file';
import styles from '../email.module.css';

/** One mail: its content, its state, and its history. */
export function MailDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useRead({
    queryKey: ['email', 'message', id],
    read: async ({ email }, signal) => {
      const { items } = await email.messages({ filter: { id } }, { items: MAIL }, { signal });
      return items[0] ?? null;
    },
    live: 'email',
    isOnItsWay: (mail: Mail | null) => mail !== null && isOnItsWay(mail),
  });
  if (query.data) return <ShownMail mail={query.data} onClose={onClose} />;
  return (
    <NoDetail word="email" query={query} onClose={onClose}>
      Emails are removed 30 days after they are sent or fail, unless the tenant has a custom retention period.
    </NoDetail>
  );
}

function ShownMail({ mail, onClose }: { mail: Mail; onClose: () => void }) {
  const [, navigate] = useLocation();
  const refusal = useRefusal(MAY_SEND);
  const { id, subject, createdAt, sendAt, sentAt, attempts, recipients } = mail;
  const word = wordOfMail(mail);
  const failed = failedOf(recipients ?? []).length;
  const title = subject || NO_SUBJECT;
  useCommands(
    useMemo<Command[]>(
      () => [{ id: 'email copy id', group: 'Copy', word: 'Email ID', run: () => void navigator.clipboard?.writeText(id) }],
      [id],
    ),
  );
  return (
    <Detail
      title={title}
      onClose={onClose}
      of={{ id, json: mail, request: { service: 'email', operation: 'messages', variables: { filter: { id } } } }}
      actions={
        <>
          <MailSource id={id} />
          {failed > 0 && (
            <Button size="small" refusal={refusal} onClick={() => navigate(`/compose?again=${id}`)}>
              {failed === recipients?.length ? 'Send again' : `Send again to ${plural(failed, 'recipient')}`}
            </Button>
          )}
          <Button size="small" refusal={refusal} onClick={() => navigate(`/compose?like=${id}`)}>
            Duplicate
          </Button>
        </>
      }
    >
      <div className="row wrap">
        {word && <Status {...word} />}
        <span className="muted small">{createdAt && <Time at={createdAt} />}</span>
      </div>
      <WaitingMail mail={mail} />
      <Sides
        first={
          <>
            <MailRecipients recipients={recipients ?? []} isScheduled={isScheduled(mail)} />
            <Facts
              of={[
                ['From', mail.from && written(mail.from)],
                ['Send at', sendAt ? <Time key="send at" at={sendAt} /> : undefined],
                ['Sent', sentAt ? <Time key="sent" at={sentAt} /> : undefined],
                ['Attempts', attempts],
                ['Message-ID', mail.messageId && <CopyText key="message id" text={mail.messageId} label="Copy Message-ID" />],
                ['Tags', mail.tags?.length ? <Tags key="tags" tags={mail.tags} /> : undefined],
              ]}
            />
            <MailHistory mail={mail} />
          </>
        }
        second={<ReadContent id={id} subject={title} />}
      />
    </Detail>
  );
}

/** Tags, each of which leads to the mails that have it. */
function Tags({ tags }: { tags: readonly Tag[] }) {
  return (
    <span className={`row wrap ${styles.tags}`}>
      {tags.map((tag) => (
        <Link key={tag.name} href={pathOfTag(tag)} className="chip" title="Show emails with this tag">
          <span className="truncate">{tag.value ? `${tag.name}: ${tag.value}` : tag.name}</span>
        </Link>
      ))}
    </span>
  );
}

/** Reads the content of a mail, which never changes except by an erasure. */
function ReadContent({ id, subject }: { id: string; subject: string }) {
  const { data, error, refetch } = useRead({
    queryKey: ['email', 'content', id],
    read: async ({ email }, signal) => {
      const { items } = await email.messages({ filter: { id } }, { items: CONTENT }, { signal });
      return items[0]?.content ?? null;
    },
    staleTime: 60_000,
  });
  if (data) return <MailContent content={data} subject={subject} />;
  if (error) return <ErrorNotice error={error} tried="load the content" onRetry={() => void refetch()} />;
  if (data === undefined) {
    return (
      <div className={styles.contentRoom}>
        <Skeleton lines={6} label="Loading content" />
      </div>
    );
  }
  return (
    <p className="notice">
      The content isn’t available. A recipient was erased, or the email was sent before content was stored.
    </p>
  );
}

/** Button that shows and saves the source of a mail, as sent. */
function MailSource({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" right={MAY_READ_SOURCE} onClick={() => setOpen(true)}>
        View source
      </Button>
      <Modal title="Source" form="drawer" isOpen={isOpen} onClose={() => setOpen(false)}>
        {isOpen && <Source id={id} />}
      </Modal>
    </>
  );
}

function Source({ id }: { id: string }) {
  const { data, error, refetch } = useRead({
    queryKey: ['email', 'source', id],
    read: ({ email }) => email.messageSource({ ID: id }),
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
