import { Tabs } from '@base-ui/react/tabs';
import { useState } from 'react';
import { Link } from 'wouter';
import { CopyButton } from '../../ui/copy';
import { formatBytes, formatCount } from '../../ui/format';
import { HtmlFrame } from '../../ui/html-frame';
import { Chip, Facts } from '../../ui/page';
import { Empty } from '../../ui/states';
import type { Content } from '../mails';
import styles from '../email.module.css';

/** A mail as its recipient sees it. */
export function MailContent({ content, subject }: { content: Content; subject: string }) {
  const { html, text, attachments, headers } = content;
  const files = attachments ?? [];
  const added = headers ?? [];
  return (
    <Tabs.Root defaultValue={html === null ? 'text' : 'html'} className="stack tight">
      <Tabs.List className="tabs" aria-label="Content">
        {html !== null && (
          <Tabs.Tab value="html" className="tab">
            HTML
          </Tabs.Tab>
        )}
        <Tabs.Tab value="text" className="tab">
          Text
        </Tabs.Tab>
        <Tabs.Tab value="attachments" className="tab">
          Attachments{files.length > 0 && ` (${formatCount(files.length)})`}
        </Tabs.Tab>
        {added.length > 0 && (
          <Tabs.Tab value="headers" className="tab">
            Headers ({formatCount(added.length)})
          </Tabs.Tab>
        )}
      </Tabs.List>
      {html !== null && (
        <Tabs.Panel value="html" className="stack tight" keepMounted={false}>
          <HtmlView html={html} subject={subject} />
        </Tabs.Panel>
      )}
      <Tabs.Panel value="text">
        {text === null ? (
          <p className="muted small">No plain text version. It’s generated from the HTML when the email is sent.</p>
        ) : (
          <div className="snippet">
            <pre className={styles.text} tabIndex={0} aria-label="Text">
              {text}
            </pre>
            <CopyButton text={text} label="Copy text" />
          </div>
        )}
      </Tabs.Panel>
      <Tabs.Panel value="attachments">
        <Attachments files={files} />
      </Tabs.Panel>
      {added.length > 0 && (
        <Tabs.Panel value="headers">
          <Facts of={added.map(({ name, value }) => [name ?? '', value])} />
        </Tabs.Panel>
      )}
    </Tabs.Root>
  );
}

function Attachments({ files }: { files: NonNullable<Content['attachments']> }) {
  if (files.length === 0) return <p className="muted small">No attachments</p>;
  return (
    <ul className={styles.files}>
      {files.map(({ name, contentType, size, fileId }, at) => (
        <li key={at} className="row wrap">
          <span className="grow break">{name}</span>
          <span className="muted small">{contentType}</span>
          <span className={`${styles.size} small`}>{formatBytes(size ?? 0)}</span>
          {fileId && (
            <Link href={`~/studio/files/${encodeURIComponent(fileId)}`} className={`small ${styles.file}`}>
              File<span className="visually-hidden"> of {name}</span>
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}

const PHONE_WIDTH = 375;

/** The html of a mail at desktop or phone width, with a note on images that were not loaded. */
export function HtmlView({ html, subject }: { html: string; subject: string }) {
  const [isPhone, setPhone] = useState(false);
  if (html.trim() === '') return <Empty title="Empty HTML" />;
  return (
    <>
      <div className={`row ${styles.widths}`} role="group" aria-label="Width">
        <Chip isActive={!isPhone} onClick={() => setPhone(false)}>
          Desktop
        </Chip>
        <Chip isActive={isPhone} onClick={() => setPhone(true)}>
          Phone
        </Chip>
      </div>
      <HtmlFrame html={html} title={`Email: ${subject}`} {...(isPhone && { width: PHONE_WIDTH })} />
    </>
  );
}
