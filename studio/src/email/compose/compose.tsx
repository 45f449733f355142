import { PlusIcon } from '@radix-ui/react-icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { PlatformError } from '../../../../clients/js/src/errors';
import { useApi, useDescription, useRefusal } from '../../api/api-context';
import { useRead } from '../../api/use-read';
import { useUploads } from '../../files/uploads/upload-store';
import { Confirm } from '../../ui/confirm';
import { Button, TextField } from '../../ui/controls';
import { plural } from '../../ui/format';
import { PageHead } from '../../ui/page';
import { ErrorNotice, NoPermission, Skeleton } from '../../ui/states';
import { toasts } from '../../ui/toasts';
import { TokenField } from '../../ui/token-field';
import { isAbout, reasonOf, useFirstFault } from '../../ui/faults';
import { MAY_LIST, MAY_SEND, type Row } from '../mails';
import { ADDRESSES, type Named } from './draft/addresses';
import { type Draft, EMPTY, type Faults, faultsOf, inputOf, isUntouched, type Part, PARTS } from './draft/draft';
import { readPairs } from './draft/pairs';
import { emptyIn } from './draft/params-of';
import { readLike, readMaySend } from './draft/read-like';
import { useDraft } from './draft/use-draft';
import { AttachmentsField } from './fields/attachments-field';
import { BodyField } from './fields/body-field';
import { LaterField } from './fields/later-field';
import { MoreFields } from './fields/more-fields';
import { SenderField } from './fields/sender-field';
import { Preview } from './preview';
import styles from '../email.module.css';

/** Form for a mail: a new one, one from a sender, or a copy of an earlier one. */
export function Compose() {
  const refusal = useRefusal(MAY_SEND);
  const search = new URLSearchParams(useSearch());
  const [again, from, wanted] = [search.get('again'), search.get('from'), search.get('draft')];
  const like = search.get('like') ?? again;
  if (refusal) {
    return (
      <div className="page">
        <PageHead title="New email" />
        <NoPermission what="send email" refusal={refusal} />
      </div>
    );
  }
  if (like) return <ComposeLike key={search.toString()} id={like} isAgain={again !== null} />;
  return <ComposeForm key={search.toString()} begun={from ? { from } : undefined} wanted={wanted ?? undefined} />;
}

/** Starts with the content of an earlier mail, once it is read. */
function ComposeLike({ id, isAgain }: { id: string; isAgain: boolean }) {
  const { data, error, refetch } = useRead({
    queryKey: ['email', 'begun', id, isAgain],
    read: async (api, signal) => {
      const like = await readLike(api, id, { maySend: await readMaySend(api, signal), isAgain, signal });
      if (like?.lost.length) toasts.add({ title: `Not copied, since only the email has them: ${like.lost.join(', ')}` });
      return like?.draft ?? EMPTY;
    },
    staleTime: Infinity,
  });
  if (data) return <ComposeForm begun={data} />;
  return (
    <div className="page">
      <PageHead title="New email" />
      <div className="page-body">
        {error ? (
          <ErrorNotice error={error} tried="load the earlier email" onRetry={() => void refetch()} />
        ) : (
          <Skeleton lines={10} label="Loading the earlier email" />
        )}
      </div>
    </div>
  );
}

function ComposeForm({ begun, wanted }: { begun: Partial<Draft> | undefined; wanted?: string | undefined }) {
  const [, navigate] = useLocation();
  const { id, draft, setDraft, forget, restore } = useDraft(begun, wanted);
  const [form, focusFault] = useFirstFault();
  const isUploading = useUploads(id).some(({ state }) => state !== 'failed');
  const change = (changes: Partial<Draft>) => setDraft((known) => ({ ...known, ...changes }));
  const { send, question, isSending, error, faults, rest } = useSend(draft, forget, focusFault);
  const discard = () => {
    forget();
    navigate('/');
    const undo = () => {
      restore();
      navigate('/compose');
    };
    toasts.add({ title: 'Draft discarded', actionProps: { children: 'Undo', onClick: undo } });
  };
  return (
    <form
      ref={form}
      className="page"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isUploading && !isSending) send();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) event.currentTarget.requestSubmit();
      }}
    >
      <PageHead
        title="Email"
        shown="New email"
        actions={
          <>
            <Button look="plain" onClick={isUntouched(draft) ? () => navigate('/') : discard}>
              {isUntouched(draft) ? 'Back' : 'Discard'}
            </Button>
            <Button type="submit" look="primary" disabled={isUploading || isSending}>
              {draft.sendAt ? (isSending ? 'Scheduling' : 'Schedule') : isSending ? 'Sending' : 'Send'}
            </Button>
          </>
        }
      />
      <div className={`page-body ${styles.compose}`}>
        <div className="stack">
          {error && rest && <ErrorNotice error={error} tried="send the email" />}
          <SpentNotice />
          <Recipients draft={draft} onChange={change} faults={faults} />
          <SenderField from={draft.from} name={draft.fromName} onChange={change} fault={faults.from} />
          <BodyField draft={draft} onChange={change} faults={faults} />
          <AttachmentsField
            value={draft.attachments}
            onChange={(next) => setDraft((known) => ({ ...known, attachments: next(known.attachments) }))}
            draftId={id}
            fault={faults.attachments}
          />
          <MoreFields draft={draft} onChange={change} faults={faults} />
          <LaterField sendAt={draft.sendAt} onChange={(sendAt) => change({ sendAt })} fault={faults.sendAt} />
        </div>
        <Preview draft={draft} />
      </div>
      {question}
    </form>
  );
}

function Recipients({ draft, onChange, faults }: { draft: Draft; onChange: (changes: Partial<Draft>) => void; faults: Faults }) {
  const [isOpen, setOpen] = useState(draft.cc.length + draft.bcc.length + draft.replyTo.length > 0);
  const known = useKnownRecipients();
  const isShown = isOpen || Boolean(faults.cc ?? faults.bcc ?? faults.replyTo);
  const field = (name: 'to' | 'cc' | 'bcc') => ({
    tokens: ADDRESSES,
    known,
    value: draft[name],
    onChange: (next: readonly Named[]) => onChange({ [name]: next }),
    fault: faults[name],
  });
  return (
    <>
      <TokenField label="To" isFirst {...field('to')} />
      {isShown ? (
        <>
          <TokenField label="Cc" {...field('cc')} />
          <TokenField label="Bcc" hint="Hidden from all other recipients." {...field('bcc')} />
          <TextField
            label="Reply to"
            fault={faults.replyTo}
            hint="Defaults to the sender."
            type="email"
            value={draft.replyTo}
            onChange={(text) => onChange({ replyTo: text })}
          />
        </>
      ) : (
        <span className={styles.more}>
          <Button size="small" look="plain" onClick={() => setOpen(true)}>
            <PlusIcon aria-hidden />
            Add Cc, Bcc or Reply-to
          </Button>
        </span>
      )}
    </>
  );
}

/** Recipients of the latest mails, each once. */
function useKnownRecipients(): readonly Named[] {
  const { data } = useRead({
    queryKey: ['email', 'known recipients'],
    read: async ({ email }, signal) => {
      const { items } = await email.messages({}, { items: { to: { address: true, name: true } } }, { signal });
      const all = items.flatMap(({ to }) => recipientsOf(to));
      return [...new Map(all.toReversed().map((one) => [ADDRESSES.keyOf(one), one])).values()].toReversed();
    },
    right: MAY_LIST,
    staleTime: 60_000,
  });
  return useMemo(() => data ?? [], [data]);
}

const recipientsOf = (to: Row['to']) => (to ?? []).flatMap(({ address, name }) => (address ? [{ address, name }] : []));

/** Warns that the daily limit is reached, before somebody writes a mail. */
function SpentNotice() {
  const { limits } = useDescription();
  const mails = limits.find(({ name }) => name === 'mailsPerDay');
  if (!mails || mails.limit === null || mails.used < mails.limit) return undefined;
  return <p className="notice wait">You’ve reached today’s limit of {plural(mails.limit, 'email')}. It resets at 00:00 UTC.</p>;
}

/** Sends a draft. Retries of the same draft send it once. */
function useSend(draft: Draft, forget: () => void, focusFault: () => void) {
  const { email } = useApi();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const mayList = !useRefusal(MAY_LIST);
  const sent = useRef({ written: '', key: '' });
  const [isChecked, setChecked] = useState(false);
  const mutation = useMutation({
    meta: { done: mayList ? (draft.sendAt ? 'Email scheduled' : 'Email queued') : undefined },
    mutationFn: () => {
      const written = JSON.stringify(draft);
      if (sent.current.written !== written) sent.current = { written, key: crypto.randomUUID() };
      return email.sendMessage({ input: inputOf(draft, sent.current.key) });
    },
    onSuccess: ({ id }) => {
      forget();
      void client.invalidateQueries({ queryKey: ['email'] });
      void client.invalidateQueries({ queryKey: ['key'] });
      if (!mayList) toasts.add({ title: `Email ${draft.sendAt ? 'scheduled' : 'queued'}: ${id}` });
      navigate(mayList ? `/${id}` : '/');
    },
    onError: focusFault,
  });
  const { error } = mutation;
  const missing = faultsOf(draft);
  const refused = refusedBy(error, draft);
  const empty = draft.form === 'template' ? emptyIn(draft.params) : [];
  const [isAsking, setAsking] = useState(false);
  const send = () => {
    setChecked(true);
    mutation.reset();
    if (Object.keys(missing).length > 0) return focusFault();
    if (empty.length > 0) setAsking(true);
    else mutation.mutate();
  };
  return {
    send,
    question: (
      <Confirm
        title={`Send with ${plural(empty.length, 'empty value')}?`}
        action={draft.sendAt ? 'Schedule anyway' : 'Send anyway'}
        keep="Go back"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => mutation.mutateAsync()}
      >
        <span className="break">{listOf(empty)} will be blank in the email.</span>
      </Confirm>
    ),
    isSending: mutation.isPending,
    error,
    faults: isChecked ? { ...refused, ...missing } : {},
    /** Returns whether the error concerns no field. */
    rest: Object.keys(refused).length === 0,
  };
}

const NAMED = 8;
const listOf = (names: readonly string[]) =>
  names.length > NAMED ? `${names.slice(0, NAMED).join(', ')} and ${names.length - NAMED} more` : names.join(', ');

/** Returns the faults found by the service, by the part of the mail; in a list, with the invalid item. */
function refusedBy(error: unknown, draft: Draft): Faults {
  const part = PARTS.find((one) => isAbout(error, one));
  if (!part || !(error instanceof PlatformError)) return {};
  const at = Number(/^input\.\w+\.(\d+)/.exec(error.field ?? '')?.[1]);
  const list = namesOf(draft, part);
  const name = list.length > 1 ? list[at] : undefined;
  return { [part]: name ? `${name}: ${reasonOf(error)}` : reasonOf(error) };
}

/** Returns the names of all items in a list part of a mail. */
function namesOf(draft: Draft, part: Part): string[] {
  if (part === 'to' || part === 'cc' || part === 'bcc') return draft[part].map(({ address }) => address);
  return part === 'headers' || part === 'tags' ? readPairs(draft[part]).map(({ name }) => name) : [];
}
