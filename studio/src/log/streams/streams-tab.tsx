import { useState } from 'react';
import { useLocation } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { Split } from '../../ui/page';
import { Records } from '../../ui/records';
import { Empty, ErrorNotice, NoPermission } from '../../ui/states';
import { useStreams } from './stream';
import { StreamDetail } from './stream-detail';
import { NewStream } from './new-stream';
import { StreamRow } from './stream-row';

const ROW_HEIGHT = 56;

/** The places outside that records are sent to, and beside them the chosen one. */
export function StreamsTab({ openId }: { openId: string | undefined }) {
  const refusal = useRefusal(['document-log', 'query', 'logStreams']);
  const cannotCreate = useRefusal(['document-log', 'mutation', 'createLogStream']);
  const [, navigate] = useLocation();
  const [isCreating, setCreating] = useState(false);
  const streams = useStreams(!refusal);
  if (refusal) return <NoPermission what="see log streams" refusal={refusal} />;
  const items = streams.data ?? [];
  const create = (
    <Button look={items.length === 0 ? 'primary' : undefined} refusal={cannotCreate} onClick={() => setCreating(true)}>
      New stream
    </Button>
  );
  return (
    <>
      {items.length > 0 && <div className="log-streams-head">{create}</div>}
      {streams.error && <ErrorNotice error={streams.error} tried="list the streams" onRetry={() => void streams.refetch()} />}
      <Split
        list={
          <Records
            label="Streams"
            items={items}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => `/streams/${id}`}
            openKey={openId}
            rowHeight={ROW_HEIGHT}
            isLoading={streams.isPending}
            empty={
              !streams.error && (
                <Empty title="No streams yet" action={create}>
                  <p className="muted">
                    A stream sends each sealed record to a SIEM, a bucket or an address of yours, in the order of writing. It
                    resumes where it stopped, and never skips a record.
                  </p>
                </Empty>
              )
            }
          >
            {(stream) => <StreamRow stream={stream} />}
          </Records>
        }
        detail={
          openId &&
          !streams.isPending && (
            <StreamDetail key={openId} stream={items.find(({ id }) => id === openId)} onClose={() => navigate('/streams')} />
          )
        }
      />
      {isCreating && (
        <NewStream
          onClose={() => setCreating(false)}
          onCreated={(id) => {
            setCreating(false);
            navigate(`/streams/${id}`);
          }}
        />
      )}
    </>
  );
}
