import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { Button, Modal, TextField } from '../../ui/controls';
import { formatCount } from '../../ui/format';
import { Chip } from '../../ui/page';
import { ErrorNotice } from '../../ui/states';
import { fromField, toField } from '../../ui/zone';
import { CodeField } from '../../templates/code/code-field';
import { useFirstFault } from '../../ui/faults';
import { useNow } from '../../ui/use-now';
import { judgeJson } from '../model/json';
import type { Message } from '../model/message';
import { type Draft, WAITS } from '../model/draft';
import { PushResults, type Pushed } from './push-results';
import { MOST_RECIPIENTS, RecipientsField } from './recipients-field';
import styles from '../push.module.css';
import { TimeField } from '../../ui/fields';

const LONGEST_MESSAGE = 65_536;
const LONGEST_TOPIC = 1_024;

interface FormProps {
  /** Initial values of the form; without them the form is closed. */
  draft: Draft | undefined;
  /** Receives an unsent draft, so that a form closed by mistake loses nothing. */
  onChange: (draft: Draft | undefined) => void;
  onClose: () => void;
}

/** Pushes a message, and then shows its status for each recipient. */
export function PushForm({ draft, onChange, onClose }: FormProps) {
  const [pushed, setPushed] = useState<Pushed>();
  const [next, setNext] = useState<Draft>();
  const close = () => {
    onClose();
    setPushed(undefined);
    setNext(undefined);
  };
  return (
    <Modal title={pushed ? 'Delivery results' : 'New message'} form="drawer" isOpen={draft !== undefined} onClose={close}>
      {pushed ? (
        <PushResults pushed={pushed} onClose={close} onAnother={() => setPushed(undefined)} />
      ) : (
        draft && (
          <Fields
            draft={next ?? draft}
            onChange={onChange}
            onPushed={(result, values) => {
              setPushed(result);
              setNext({ ...values, message: '' });
              onChange(undefined);
            }}
          />
        )
      )}
    </Modal>
  );
}

interface FieldsProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  onPushed: (pushed: Pushed, values: Draft) => void;
}

function Fields({ draft, onChange, onPushed }: FieldsProps) {
  const [values, setValues] = useState(draft);
  const { to, recipients, topic, message, wait } = values;
  const [until, setUntil] = useState('');
  const [isTried, setTried] = useState(false);
  const [form, focusFault] = useFirstFault();
  const namedRefusal = useRefusal(['websockets-manager', 'mutation', 'pushMessage']);
  const everyoneRefusal = useRefusal(['websockets-manager', 'mutation', 'pushGlobalMessage']);
  const set = (change: Partial<Draft>) => {
    setValues({ ...values, ...change });
    onChange({ ...values, ...change });
  };
  const { mutate, error, isPending } = usePush((pushed) => onPushed(pushed, values));
  const faults = faultsOf({ to, recipients, message, wait, until });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.values(faults).some(Boolean)) return focusFault();
    const ms = WAITS.find((choice) => choice.wait === wait)!.ms;
    const expiresAt = wait === 'own' ? fromField(until) : ms > 0 ? new Date(Date.now() + ms).toISOString() : undefined;
    mutate({
      to,
      recipients,
      content: { message, ...(topic && { topic }), ...(expiresAt && { expiresAt }) },
    });
  };
  const shown: Partial<typeof faults> = isTried ? faults : {};
  return (
    <form
      ref={form}
      className="stack"
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) event.currentTarget.requestSubmit();
      }}
      noValidate
    >
      <div className="row wrap" role="group" aria-label="To">
        <Chip isActive={to === 'named'} onClick={() => set({ to: 'named' })}>
          Recipients
        </Chip>
        <Chip isActive={to === 'everyone'} onClick={() => set({ to: 'everyone' })}>
          Everyone
        </Chip>
      </div>
      {to === 'named' ? (
        <RecipientsField
          value={recipients}
          onChange={(next) => set({ recipients: next })}
          fault={recipients.length > MOST_RECIPIENTS ? faults.recipients : shown.recipients}
          isFirst={draft.recipients.length === 0}
        />
      ) : (
        <p className="muted small">Sent to every connected recipient, and to recipients who connect before it expires.</p>
      )}
      <TextFields
        topic={topic}
        message={message}
        set={set}
        fault={shown.message}
        isFirst={draft.to === 'everyone' || draft.recipients.length > 0}
      />
      <WaitField wait={wait} until={until} onWait={(next) => set({ wait: next })} onUntil={setUntil} fault={shown.until} />
      {error && <ErrorNotice error={error} tried="send the message" />}
      <div className="row">
        <Button type="submit" look="primary" disabled={isPending} refusal={to === 'named' ? namedRefusal : everyoneRefusal}>
          {isPending ? 'Sending' : 'Send message'}
        </Button>
        <span className={`muted small ${styles.keys}`}>Ctrl Enter</span>
      </div>
    </form>
  );
}

interface TextProps {
  topic: string;
  message: string;
  set: (change: Partial<Draft>) => void;
  fault: string | undefined;
  /** Whether the message has the initial focus. */
  isFirst: boolean;
}

function TextFields({ topic, message, set, fault, isFirst }: TextProps) {
  const { hint } = judgeJson(message);
  return (
    <>
      <TextField
        label="Topic"
        hint="Only connections with exactly this topic receive the message."
        autoComplete="off"
        maxLength={LONGEST_TOPIC}
        placeholder="all connections"
        value={topic}
        onChange={(text) => set({ topic: text })}
      />
      <CodeField
        label="Message"
        fault={fault}
        hint={`${hint ? `${hint}. ` : ''}${formatCount(message.length)} of ${formatCount(LONGEST_MESSAGE)} characters`}
        language={/^\s*[[{]/.test(message) ? 'json' : 'plain'}
        autoFocus={isFirst}
        rows={10}
        value={message}
        onChange={(text) => set({ message: text })}
      />
    </>
  );
}

interface WaitProps {
  wait: Draft['wait'];
  until: string;
  onWait: (wait: Draft['wait']) => void;
  onUntil: (until: string) => void;
  fault: string | undefined;
}

function WaitField({ wait, until, onWait, onUntil, fault }: WaitProps) {
  const now = useNow();
  return (
    <fieldset className={`${styles.wait} stack tight`}>
      <legend className="label">Wait for offline recipients</legend>
      <div className="row wrap">
        {WAITS.map((choice) => (
          <Chip key={choice.wait} isActive={wait === choice.wait} onClick={() => onWait(choice.wait)}>
            {choice.word}
          </Chip>
        ))}
      </div>
      {wait === 'own' && (
        <TimeField label="Until" fault={fault} min={toField(new Date(now), 'minute')} value={until} onChange={onUntil} />
      )}
    </fieldset>
  );
}

function faultsOf({ to, recipients, message, wait, until }: Omit<Draft, 'topic'> & { until: string }) {
  const isTooMany = recipients.length > MOST_RECIPIENTS;
  return {
    recipients:
      to === 'everyone' || (recipients.length > 0 && !isTooMany)
        ? undefined
        : isTooMany
          ? `Enter at most ${formatCount(MOST_RECIPIENTS)} recipients. Remove ${formatCount(recipients.length - MOST_RECIPIENTS)}.`
          : 'Add at least one recipient.',
    message:
      message === ''
        ? 'Enter a message.'
        : message.length > LONGEST_MESSAGE
          ? `Enter at most ${formatCount(LONGEST_MESSAGE)} characters. Remove ${formatCount(message.length - LONGEST_MESSAGE)}.`
          : undefined,
    until: wait === 'own' && !(Date.parse(fromField(until) ?? '') > Date.now()) ? 'Enter a time in the future.' : undefined,
  };
}

interface PushInput {
  to: Draft['to'];
  recipients: readonly string[];
  content: { message: string; topic?: string; expiresAt?: string };
}

function usePush(onPushed: (pushed: Pushed) => void) {
  const { push } = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ to, recipients, content }: PushInput): Promise<Pushed> => {
      if (to === 'everyone') {
        const { id } = await push.pushGlobalMessage({ input: content });
        return { globalMessageId: id, messages: [] };
      }
      const { results } = await push.pushMessage({ input: { recipients, ...content } });
      return {
        globalMessageId: undefined,
        messages: results.flatMap(({ item }) => (item ? (item as Message) : [])),
      };
    },
    onSuccess: (pushed) => {
      onPushed(pushed);
      const lists = pushed.globalMessageId ? ['newest globals', 'newest messages'] : ['newest messages', 'waiting'];
      for (const name of lists) void queries.invalidateQueries({ queryKey: ['push', name] });
    },
  });
}
