import { useLocation } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { FilterBar } from '../../ui/filter-bar';
import { ListPage, listingOf, useCreate } from '../../ui/list-page';
import type { Column } from '../../ui/records';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { NewStream } from './new-stream';
import { addressOf, healthOf, KIND_WORDS, type Stream, useStreams, waitingWords } from './stream';
import { StreamDetail } from './stream-detail';

const COLUMNS: readonly Column<Stream>[] = [
  {
    word: 'Name',
    sortBy: ({ name }) => name ?? '',
    cell: ({ name }) => (
      <span className="truncate" title={name ?? undefined}>
        {name}
      </span>
    ),
  },
  {
    word: 'Status',
    width: 200,
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
  {
    word: 'Destination',
    width: 260,
    room: 'wide',
    sortBy: addressOf,
    cell: (stream) => (
      <span className="truncate muted" title={addressOf(stream)}>
        {stream.destination?.kind && KIND_WORDS[stream.destination.kind]} {addressOf(stream)}
      </span>
    ),
  },
  {
    word: 'Progress',
    width: 180,
    room: 'medium',
    isNumber: true,
    sortBy: ({ waiting }) => waiting ?? 0,
    cell: (stream) => <span className="muted small">{waitingWords(stream)}</span>,
  },
];

/** External destinations of records, with the chosen one. */
export function StreamsTab({ openId }: { openId: string | undefined }) {
  const refusal = useRefusal(['document-log', 'query', 'logStreams']);
  const cannotCreate = useRefusal(['document-log', 'mutation', 'createLogStream']);
  const create = useCreate({ id: 'log stream', word: 'New stream', refusal: cannotCreate, hasKey: false });
  const [, navigate] = useLocation();
  const streams = useStreams(!refusal);
  const list = listingOf(streams);
  return (
    <>
      <ListPage
        refusal={refusal}
        tried="list log streams"
        label="Streams"
        list={list}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/streams/${id}`}
        openKey={openId}
        columns={COLUMNS}
        filters={
          list.items.length > 0 && (
            <FilterBar list={list} counted={['stream', 'streams']}>
              {create.button}
            </FilterBar>
          )
        }
        empty={
          <Empty title="No streams yet" action={create.button}>
            <p className="muted">
              A stream sends each sealed record to a SIEM, a bucket or a URL, in order. It resumes where it stopped and never
              skips a record.
            </p>
          </Empty>
        }
        detail={
          openId &&
          !streams.isPending && (
            <StreamDetail key={openId} stream={list.items.find(({ id }) => id === openId)} onClose={() => navigate('/streams')} />
          )
        }
      />
      {create.isOpen && (
        <NewStream
          onClose={create.close}
          onCreated={(id) => {
            create.close();
            navigate(`/streams/${id}`);
          }}
        />
      )}
    </>
  );
}
