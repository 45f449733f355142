import { useRefusal } from '../../api/api-context';
import { textColumn } from '../../ui/columns';
import { listingOf } from '../../ui/list-page';
import type { Column } from '../../ui/records';
import { ResourcePage } from '../../ui/resource-page';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { addressOf, healthOf, KIND_WORDS, type Stream, STREAMS, useStreams, waitingWords } from './stream';
import { StreamDetail } from './stream-detail';
import { CheckboxField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
import { useForm } from '../../ui/use-form';
import { destinationOf, EMPTY, isComplete } from './stream-draft';
import { StreamFields } from './stream-fields';

const COLUMNS: readonly Column<Stream>[] = [
  textColumn('Name', ({ name }) => name, { line: 'who' }),
  {
    word: 'Status',
    width: 216,
    line: 'state',
    sortBy: (stream) => healthOf(stream).word,
    cell: (stream) => {
      const { kind, word, reason } = healthOf(stream);
      return (
        <span className="truncate" title={reason ?? word}>
          <Status kind={kind} word={word} />
        </span>
      );
    },
  },
  textColumn(
    'Destination',
    (stream) => `${stream.destination?.kind ? KIND_WORDS[stream.destination.kind] : ''} ${addressOf(stream)}`,
    { width: 320, room: 'wide', line: 'what', isMuted: true, sortBy: addressOf },
  ),
  {
    word: 'Progress',
    width: 180,
    room: 'medium',
    line: 'when',
    isNumber: true,
    sortBy: ({ waiting }) => waiting ?? 0,
    cell: (stream) => <span className="muted">{waitingWords(stream)}</span>,
  },
];

/** External destinations of records, with the chosen one. */
export function StreamsTab({ openId }: { openId: string | undefined }) {
  const refusal = useRefusal(['document-log', 'query', 'logStreams']);
  const streams = useStreams(!refusal);
  return (
    <ResourcePage<Stream>
      word="stream"
      path="/streams"
      refusal={refusal}
      list={listingOf(streams)}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      create={{
        id: 'log stream',
        rights: [['document-log', 'mutation', 'createLogStream']],
        renderDialog: (close, onCreated) => <NewStream onClose={close} onCreated={onCreated} />,
      }}
      renderEmpty={(action) => (
        <Empty title="No streams yet" action={action}>
          <p className="muted">
            A stream sends each sealed record to a SIEM, a bucket or a URL, in order. It resumes where it stopped and never skips
            a record.
          </p>
        </Empty>
      )}
      shown={openId}
      renderItem={(stream, close) => <StreamDetail key={stream.id} stream={stream} onClose={close} />}
    />
  );
}

/** The time from which every record is sent. */
const FIRST = '1970-01-01T00:00:00Z';

/** Creates a stream. */
function NewStream({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) {
  const form = useForm({
    first: { ...EMPTY, withOlder: false },
    send: ({ withOlder, ...draft }, { log }) => {
      const { name, format } = draft;
      const from = withOlder ? { from: FIRST } : {};
      return log.createLogStream({ input: { name, format, destination: destinationOf(draft), ...from } });
    },
    again: STREAMS,
    onDone: ({ id }) => onCreated(id),
  });
  return (
    <FormDialog form={form} title="New stream" action="Create stream" isReady={isComplete(form.values)} onClose={onClose}>
      <StreamFields draft={form.values} onChange={form.set} />
      <CheckboxField label="Include records already in the log" {...form.field('withOlder')} />
    </FormDialog>
  );
}
