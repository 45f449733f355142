import { type ComponentProps, useEffect, useRef, useState } from 'react';
import { useDescription } from '../../../api/api-context';
import { formatBytes } from '../../../ui/format';
import { HtmlFrame } from '../../../ui/html-frame';
import { ErrorNotice, NoPermission, Skeleton } from '../../../ui/states';
import { useMedia } from '../../../ui/use-layout';
import type { TemplateType } from '../../model/template';
import { type Tab, TabRow } from '../../tab-row';
import type { Preview } from '../work/use-preview';
import { PdfPane } from './pdf-pane';
import { ReaderBar } from './reader-bar';
import styles from '../../templates.module.css';

export type PreviewTab = 'desktop' | 'phone' | 'both' | 'text' | 'source' | 'pdf';
type Result = NonNullable<Preview['result']>;

const DESKTOP = 800;
const PHONE = 375;
const LONGEST = 200_000;

/** Preview of the template with the sample data. */
export function PreviewPane({ preview, ...of }: Omit<ComponentProps<typeof ReaderBar>, 'preview'> & { preview: Preview }) {
  const { type, kind, name } = of.base;
  const isWide = useMedia('(min-width: 1600px)');
  const [tab, setTab] = useState<PreviewTab>(() => (matchMedia('(max-width: 640px)').matches ? 'phone' : 'desktop'));
  const { result, refusal, failure, isCurrent, isBroken, retry } = preview;
  if (refusal) return <NoPermission what="preview templates" refusal={refusal} />;
  if (!result && failure) return <ErrorNotice error={failure} tried="render the template" onRetry={retry} />;
  const state = isBroken ? 'Showing the last version without errors' : isCurrent ? '' : 'Rendering…';
  const wanted = isWide && (tab === 'desktop' || tab === 'phone') ? 'both' : !isWide && tab === 'both' ? 'desktop' : tab;
  const hasPdf = kind !== 'partial' && result?.contentType === 'html';
  const pdf: Tab<PreviewTab> = { value: 'pdf', word: 'PDF', panel: <PdfPane asked={preview.asked} name={name} /> };
  return (
    <section className={styles.previewPane} aria-label="Preview">
      {failure && <ErrorNotice error={failure} tried="render the template" onRetry={retry} />}
      <ReaderBar preview={preview} {...of} />
      {type === 'email' && <Inbox result={result} />}
      <TabRow<PreviewTab>
        label="Preview"
        value={wanted}
        onChange={setTab}
        tabs={[...tabsOf(result, type, isWide), ...(hasPdf ? [pdf] : [])]}
        aside={
          <span className={isBroken ? `${styles.previewState} bad small` : `${styles.previewState} muted small`} role="status">
            {state}
          </span>
        }
      />
    </section>
  );
}

function tabsOf(result: Result | undefined, type: TemplateType, isWide: boolean): Tab<PreviewTab>[] {
  if (!result) {
    const panel = <Skeleton lines={6} label="Rendering" />;
    return [{ value: isWide ? 'both' : 'desktop', word: isWide ? 'Desktop and phone' : 'Desktop', panel }];
  }
  const body = result.body ?? '';
  const page = (width: number) => <Page result={result} width={width} />;
  const looks: Tab<PreviewTab>[] = isWide
    ? [
        {
          value: 'both',
          word: 'Desktop and phone',
          panel: (
            <div className={styles.both}>
              {page(DESKTOP)}
              {page(PHONE)}
            </div>
          ),
        },
      ]
    : [
        { value: 'desktop', word: 'Desktop', panel: page(DESKTOP) },
        { value: 'phone', word: 'Phone', panel: page(PHONE) },
      ];
  const text: Tab<PreviewTab> = {
    value: 'text',
    word: 'Plain text',
    panel: <Block label="Plain text" text={result.text ?? ''} />,
  };
  return [
    ...looks,
    ...(type === 'email' && result.contentType === 'html' ? [text] : []),
    { value: 'source', word: 'Source', panel: <Block label="Rendered source" text={body} /> },
  ];
}

function Page({ result, width }: { result: Result; width: number }) {
  const name = width === PHONE ? 'Preview at phone width' : 'Preview at desktop width';
  if (result.contentType === 'plain') return <Block label={name} text={result.body ?? ''} width={width} />;
  return (
    <Fitted width={width}>
      <HtmlFrame html={result.body ?? ''} title={name} />
    </Fitted>
  );
}

/** Shows content at its own width, scaled down if there is less room. */
function Fitted({ width, children }: { width: number; children: React.ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(width);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setRoom(entry!.contentRect.width));
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  const zoom = Math.min(1, room / width);
  return (
    <div ref={place} className={width === PHONE ? `${styles.fitted} phone` : styles.fitted}>
      <div style={{ width: Math.max(width, room > width && width !== PHONE ? room : 0), zoom }}>{children}</div>
      <p className={`muted small ${styles.fittedNote}`}>
        {width === PHONE ? `${PHONE} px` : `${Math.round(Math.max(width, room))} px`}
        {zoom < 0.99 && `, shown at ${Math.round(zoom * 100)}%`}
      </p>
    </div>
  );
}

function Block({ label, text, width }: { label: string; text: string; width?: number }) {
  const size = new Blob([text]).size;
  return (
    <div className="stack tight">
      <pre
        className={`code-block ${styles.resultText}`}
        tabIndex={0}
        aria-label={label}
        style={width ? { maxWidth: width } : undefined}
      >
        {text.slice(0, LONGEST) || 'Empty'}
      </pre>
      <span className="muted small">
        {formatBytes(size)}
        {text.length > LONGEST && `, first ${LONGEST} characters`}
      </span>
    </div>
  );
}

/** Inbox line of a mail: sender, subject and the first words. */
function Inbox({ result }: { result: Result | undefined }) {
  const { tenant } = useDescription();
  const words = (result?.text ?? (result?.contentType === 'plain' ? result.body : '') ?? '').replace(/\s+/g, ' ').slice(0, 160);
  return (
    <div className={styles.inbox} role="group" aria-label="Inbox preview">
      <span className={styles.inboxSender} aria-hidden>
        {tenant.name.charAt(0).toUpperCase()}
      </span>
      <span className={styles.inboxLines}>
        <strong className="truncate">{tenant.name}</strong>
        <span className="truncate">{result?.subject || <span className="muted">No subject</span>}</span>
        <span className="truncate muted small">{words || '\u00a0'}</span>
      </span>
    </div>
  );
}
