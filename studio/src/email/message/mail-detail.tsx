import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import { useApi, useRefusal } from '../../api/api-context';
import { keptLive } from '../../api/live';
import { type Command, useCommands } from '../../shell/commands';
import { Button } from '../../ui/controls';
import { CopyText } from '../../ui/copy';
import { Detail, Facts, Sides } from '../../ui/page';
import { ErrorNotice, Skeleton } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { failedOf } from '../compose/draft/read-like';
import { plural } from '../../ui/format';
import { CONTENT, isOnItsWay, MAIL, type Mail, MAY_SEND, pathOfTag, type Tag } from '../mails';
import { NO_SUBJECT, wordOfMail, written } from '../words';
import { MailContent } from './mail-content';
import { MailHistory } from './mail-history';
import { MailRecipients } from './mail-recipients';
import { MailSource } from './mail-source';
import { WaitingMail } from './waiting-mail';
import styles from '../email.module.css';

/** One mail: its content, its state, and its history. */
export function MailDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const { email } = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['email', 'message', id],
    queryFn: async ({ signal }) => {
      const { items } = await email.messages({ filter: { id } }, { items: MAIL }, { signal });
      return items[0] ?? null;
    },
    meta: keptLive('email', (mail: Mail | null) => mail !== null && isOnItsWay(mail)),
  });
  if (data) return <ShownMail mail={data} onClose={onClose} />;
  return (
    <Detail title={data === null ? 'Email not found' : 'Email'} onClose={onClose}>
      {data === null && (
        <>
          <p className="muted">
            Emails are removed 30 days after they are sent or fail, unless the tenant has a custom retention period.
          </p>
          <CopyText text={id} label="Copy ID" />
        </>
      )}
      {data === undefined &&
        (error ? (
          <ErrorNotice error={error} tried="load the email" onRetry={() => void refetch()} />
        ) : (
          <Skeleton lines={9} label="Loading email" />
        ))}
    </Detail>
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
            <MailRecipients recipients={recipients ?? []} />
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
  const { email } = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['email', 'content', id],
    queryFn: async ({ signal }) => {
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
