import { useState } from 'react';
import { useRefusal } from '../../api/api-context';
import { useAction } from '../../api/use-action';
import { ConfirmButton } from '../../ui/confirm';
import { Button } from '../../ui/controls';
import { Health } from '../../ui/health';
import { Detail, Facts } from '../../ui/page';
import { Time } from '../../ui/status';
import { addressOf, healthOf, KIND_WORDS, type Stream, STREAMS, waitingWords } from './stream';
import { FormDialog } from '../../ui/form-dialog';
import { useForm } from '../../ui/use-form';
import { destinationOf, isComplete, type StreamDraft } from './stream-draft';
import { StreamFields } from './stream-fields';
import { fromField } from '../../ui/zone';
import { TimeField } from '../../ui/fields';

/** A stream: its health, its position, and its actions. */
export function StreamDetail({ stream, onClose }: { stream: Stream; onClose: () => void }) {
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

function HealthOf({ stream }: { stream: Stream }) {
  const { id, active, failingSince } = stream;
  const refusal = useRefusal(['document-log', 'mutation', 'updateLogStream']);
  const switching = useAction(({ log }, isOn: boolean) => log.updateLogStream({ id, input: { active: isOn } }), {
    again: STREAMS,
  });
  return (
    <Health
      health={healthOf(stream)}
      failingSince={failingSince}
      label="Send records"
      isOn={active === true}
      refusal={refusal}
      switching={switching}
      tried="change the stream"
    />
  );
}

function Actions({ stream, onDeleted }: { stream: Stream; onDeleted: () => void }) {
  const { id, name } = stream;
  const [open, setOpen] = useState<'edit' | 'rewind'>();
  const close = () => setOpen(undefined);
  const deleting = useAction(({ log }) => log.deleteLogStream({ id }), {
    done: 'Stream deleted',
    again: STREAMS,
    onDone: onDeleted,
  });
  return (
    <>
      <div className="row wrap">
        <Button size="small" right={['document-log', 'mutation', 'updateLogStream']} onClick={() => setOpen('edit')}>
          Edit
        </Button>
        <Button size="small" right={['document-log', 'mutation', 'rewindLogStream']} onClick={() => setOpen('rewind')}>
          Rewind
        </Button>
        <ConfirmButton
          word="Delete"
          size="small"
          right={['document-log', 'mutation', 'deleteLogStream']}
          title={`Delete the stream ${name}?`}
          action="Delete stream"
          onConfirm={() => deleting.mutateAsync()}
        >
          Records are no longer sent. Records in the log and at the destination stay. This can’t be undone.
        </ConfirmButton>
      </div>
      {open === 'edit' && <EditStream stream={stream} onClose={close} />}
      {open === 'rewind' && <RewindStream stream={stream} onClose={close} />}
    </>
  );
}

/** Returns the form values of a stream, without its secrets. */
function draftOf({ name, format, destination }: Stream): StreamDraft {
  const { kind, url, index, tags, region, bucket, prefix, accessKeyId, headers } = destination!;
  const site = /^https:\/\/http-intake\.logs\.([^/]+)\//.exec(url ?? '')?.[1];
  const known = { url, endpoint: url, site, index, tags, region, bucket, prefix, accessKeyId, headerName: headers?.[0] };
  const fields = Object.fromEntries(Object.entries(known).flatMap(([field, value]) => (value ? [[field, value]] : [])));
  return { name: name!, kind: kind!, format: format!, fields };
}

/** Form that changes a stream. Its secret is entered again, since nobody can read it. */
function EditStream({ stream, onClose }: { stream: Stream; onClose: () => void }) {
  const { id } = stream;
  const form = useForm({
    first: () => draftOf(stream),
    send: (draft, { log }) => {
      const { name, format } = draft;
      return log.updateLogStream({ id, input: { name, format, destination: destinationOf(draft) } });
    },
    done: 'Stream saved',
    again: STREAMS,
    onDone: onClose,
  });
  return (
    <FormDialog
      form={form}
      title="Edit stream"
      action="Save"
      tried="save the stream"
      isReady={isComplete(form.values)}
      onClose={onClose}
    >
      <p className="muted small">Enter the secret again: stored secrets can’t be read.</p>
      <StreamFields draft={form.values} onChange={form.set} />
    </FormDialog>
  );
}

/** Dialog that resends records from a time on, or skips to it. */
function RewindStream({ stream: { id }, onClose }: { stream: Stream; onClose: () => void }) {
  const form = useForm({
    first: { to: '' },
    send: ({ to }, { log }) => log.rewindLogStream({ id, to: fromField(to)! }),
    done: 'Stream rewound',
    again: STREAMS,
    onDone: onClose,
  });
  const isReady = form.values.to !== '';
  return (
    <FormDialog form={form} title="Rewind stream" action="Rewind" tried="rewind the stream" isReady={isReady} onClose={onClose}>
      <TimeField
        label="Send records recorded from"
        hint="In your time zone. An earlier time sends records again. A later time skips records."
        required
        {...form.field('to')}
      />
    </FormDialog>
  );
}
