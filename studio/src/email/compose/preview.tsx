import { keepPreviousData } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useRefusal } from '../../api/api-context';
import { useRead } from '../../api/use-read';
import { plural } from '../../ui/format';
import { ErrorNotice, Skeleton } from '../../ui/states';
import { HtmlView } from '../message/mail-content';
import { NO_SUBJECT, written } from '../words';
import { type Draft, faultOfParams } from './draft/draft';
import styles from '../email.module.css';

const REST_MS = 400;

/** The mail as its recipient will see it. */
export function Preview({ draft }: { draft: Draft }) {
  return (
    <section className={`${styles.preview} stack tight`} aria-label="Preview">
      <h2>Preview</h2>
      {draft.form === 'template' ? <Rendered draft={draft} /> : <Written draft={draft} />}
    </section>
  );
}

function Head({ draft: { from, fromName, to, cc }, subject }: { draft: Draft; subject: string }) {
  return (
    <div className={styles.previewHead}>
      <strong className="break">{subject || <span className="muted">{NO_SUBJECT}</span>}</strong>
      <span className="muted small break">
        {from ? written({ address: from, name: fromName }) : 'Server default'} to{' '}
        {[...to, ...cc].map(written).join(', ') || 'no recipients yet'}
      </span>
    </div>
  );
}

function Written({ draft }: { draft: Draft }) {
  const html = useRested(draft.html);
  const isHtml = draft.form === 'html' && html.trim() !== '';
  return (
    <>
      <Head draft={draft} subject={draft.subject} />
      {isHtml ? (
        <HtmlView html={html} subject={draft.subject} />
      ) : (
        <pre className={styles.text} tabIndex={0} aria-label="Text">
          {draft.text || <span className="muted">Empty message</span>}
        </pre>
      )}
    </>
  );
}

function Rendered({ draft }: { draft: Draft }) {
  const refusal = useRefusal(['document-rendering', 'query', 'render']);
  const templateName = useRested(draft.templateName);
  const params = useRested(draft.params) || '{}';
  const isReady = templateName !== '' && faultOfParams(params) === undefined;
  const { data, error, isFetching } = useRead({
    queryKey: ['email', 'preview', templateName, params],
    read: ({ rendering }, signal) =>
      rendering.render(
        { input: { templateName, params } },
        { subject: true, body: true, contentType: true, missingParams: true, warnings: { path: true, reason: true } },
        { signal },
      ),
    enabled: !refusal && isReady,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
  if (refusal) return <p className="muted">{refusal}. The preview isn’t available, but you can still send the email.</p>;
  if (templateName === '') return <p className="muted">Select a template to preview it.</p>;
  if (error) return <ErrorNotice error={error} tried="render the template" />;
  if (!data)
    return isFetching ? <Skeleton lines={6} label="Rendering" /> : <p className="muted">Enter valid JSON to see the preview.</p>;
  const missing = data.missingParams ?? [];
  const warnings = data.warnings ?? [];
  return (
    <>
      <Head draft={draft} subject={data.subject ?? ''} />
      {(missing.length > 0 || warnings.length > 0) && (
        <div className="notice wait">
          <div className="stack tight grow">
            {missing.length > 0 && (
              <span className="break">
                <strong>{plural(missing.length, 'value is', 'values are')} missing:</strong> {missing.join(', ')}
              </span>
            )}
            {warnings.map(({ path, reason }, at) => (
              <span key={at} className="break">
                {path && <code>{path}</code>} {reason}
              </span>
            ))}
          </div>
        </div>
      )}
      {data.contentType === 'html' ? (
        <HtmlView html={data.body ?? ''} subject={data.subject ?? ''} />
      ) : (
        <pre className={styles.text} tabIndex={0} aria-label="Text">
          {data.body}
        </pre>
      )}
    </>
  );
}

/** Returns a value once it has been stable for a moment. */
function useRested(value: string): string {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}
