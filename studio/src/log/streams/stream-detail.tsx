import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { Button, Confirm, Switch } from '../../ui/controls';
import { Detail, Facts } from '../../ui/page';
import { Empty, ErrorNotice } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { EditStream } from './edit-stream';
import { RewindStream } from './rewind-stream';
import { addressOf, healthOf, KIND_WORDS, type Stream, useReadAgain, waitingWords } from './stream';

interface DetailProps {
  /** Undefined if the id does not exist. */
  stream: Stream | undefined;
  onClose: () => void;
}

/** A stream: its health, its position, and its actions. */
export function StreamDetail({ stream, onClose }: DetailProps) {
  if (!stream) {
    return (
      <Detail title="Stream" onClose={onClose}>
        <Empty title="Stream not found">
          <p className="muted">It may have been deleted.</p>
        </Empty>
      </Detail>
    );
  }
  const { id, name, destination, format, createdAt, deliveredTo, lastDeliveredAt } = stream;
  return (
    <Detail
      title={name!}
      onClose={onClose}
      of={{ id, json: stream, request: { service: 'log', operation: 'logStreams', variables: {} } }}
    >
      <HealthOf stream={stream} />
      <Actions stream={stream} onDeleted={onClose} />
      <Facts
        of={[
          ['Destination', destination?.kind ? KIND_WORDS[destination.kind] : undefined],
          ['Endpoint', addressOf(stream)],
          ['Headers', destination?.headers?.join(', ') || undefined],
          ['Index', destination?.index ?? undefined],
          ['Tags', destination?.tags ?? undefined],
          ['Region', destination?.region ?? undefined],
          ['Access key ID', destination?.accessKeyId ?? undefined],
          ['Format', format],
          ['Waiting', waitingWords(stream)],
          ['Sent up to', deliveredTo ? <Time key="to" at={deliveredTo} /> : null],
          ['Last delivery', lastDeliveredAt ? <Time key="last" at={lastDeliveredAt} /> : null],
          ['Created', createdAt && <Time key="created" at={createdAt} />],
        ]}
      />
    </Detail>
  );
}

/** Health in words, and the switch. */
function HealthOf({ stream }: { stream: Stream }) {
  const api = useApi();
  const readAgain = useReadAgain();
  const refusal = useRefusal(['document-log', 'mutation', 'updateLogStream']);
  const switching = useMutation({
    mutationFn: (active: boolean) => api.log.updateLogStream({ id: stream.id, input: { active } }),
    onSettled: readAgain,
  });
  const { kind, word, reason } = healthOf(stream);
  return (
    <div className="stack tight">
      <div className="row wrap">
        <Status kind={kind} word={word} />
        <span className="grow" />
        <span title={refusal}>
          <Switch
            label="Send records"
            checked={stream.active === true}
            disabled={Boolean(refusal) || switching.isPending}
            onChange={(active) => switching.mutate(active)}
          />
        </span>
      </div>
      {reason && (
        <div className="notice bad">
          <span className="break">
            {reason}
            {stream.failingSince && (
              <span className="muted small">
                {' '}
                · failing since <Time at={stream.failingSince} />
              </span>
            )}
          </span>
        </div>
      )}
      {switching.error && <ErrorNotice error={switching.error} tried="change the stream" />}
    </div>
  );
}

function Actions({ stream, onDeleted }: { stream: Stream; onDeleted: () => void }) {
  const api = useApi();
  const readAgain = useReadAgain();
  const [open, setOpen] = useState<'edit' | 'rewind' | 'delete'>();
  const close = () => setOpen(undefined);
  const cannotEdit = useRefusal(['document-log', 'mutation', 'updateLogStream']);
  const cannotRewind = useRefusal(['document-log', 'mutation', 'rewindLogStream']);
  const cannotDelete = useRefusal(['document-log', 'mutation', 'deleteLogStream']);
  const deleting = useMutation({
    meta: { done: 'Stream deleted' },
    mutationFn: () => api.log.deleteLogStream({ id: stream.id }),
    onSuccess: () => {
      onDeleted();
      void readAgain();
    },
  });
  return (
    <>
      <div className="row wrap">
        <Button size="small" refusal={cannotEdit} onClick={() => setOpen('edit')}>
          Edit
        </Button>
        <Button size="small" refusal={cannotRewind} onClick={() => setOpen('rewind')}>
          Rewind
        </Button>
        <Button size="small" look="danger" refusal={cannotDelete} onClick={() => setOpen('delete')}>
          Delete
        </Button>
      </div>
      {deleting.error && <ErrorNotice error={deleting.error} tried="delete the stream" />}
      {open === 'edit' && <EditStream stream={stream} onClose={close} />}
      {open === 'rewind' && <RewindStream stream={stream} onClose={close} />}
      <Confirm
        title={`Delete the stream ${stream.name}?`}
        action="Delete stream"
        isOpen={open === 'delete'}
        onClose={close}
        onConfirm={() => deleting.mutateAsync()}
      >
        Records are no longer sent. Records in the log and at the destination stay. This can’t be undone.
      </Confirm>
    </>
  );
}
