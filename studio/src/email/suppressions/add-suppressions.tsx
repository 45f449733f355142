import { useState } from 'react';
import type { SuppressionReason } from '../../../../clients/js/src/generated/email';
import { TextField } from '../../ui/controls';
import { SelectField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
import { formatCount, plural } from '../../ui/format';
import { toasts } from '../../ui/toasts';
import { LongTextField } from '../compose/fields/body-field';
import { SUPPRESSION_WORDS } from '../words';
import { type Refusal, type SuppressionDraft, useAdding } from './use-adding';
import { TimeField } from '../../ui/time-field';

/** Maximum that the service accepts per call. */
const MOST = 1_000;
/** Number of refusals to show. */
const SHOWN = 20;
const REASON_WORDS = Object.entries(SUPPRESSION_WORDS).map(([reason, { word }]) => [reason as SuppressionReason, word] as const);
const EMPTY: SuppressionDraft = { text: '', reason: 'MANUAL', list: '', end: '' };

const addressCount = (count: number): string => plural(count, 'address', 'addresses');

/** Form that adds addresses. Refused ones stay in the field, each with its reason. */
export function AddSuppressions({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState(EMPTY);
  const change = (changes: Partial<SuppressionDraft>) => setDraft((known) => ({ ...known, ...changes }));
  const { add, error, isPending, lines, refused, added } = useAdding(draft, (refusals, count) => {
    change({ text: refusals.map(({ line }) => line).join('\n') });
    if (refusals.length > 0) return;
    toasts.add({ title: `${addressCount(count)} suppressed` });
    onClose();
  });
  const ofField = (field: string) => refused.find((one) => one.field === field)?.reason;
  const ofLines = refused.filter(({ field }) => field !== 'list' && field !== 'expiresAt');
  const isTooMany = lines.length > MOST;
  return (
    <FormDialog
      title="Add suppressions"
      action="Add suppressions"
      tried="add suppressions"
      sending={{ error, isPending }}
      isReady={lines.length > 0 && !isTooMany}
      onSend={add}
      onClose={onClose}
    >
      <LongTextField
        label="Addresses"
        rows={6}
        isCode
        text={draft.text}
        onChange={(text) => change({ text })}
        fault={
          isTooMany
            ? `Enter at most ${formatCount(MOST)} addresses. You entered ${formatCount(lines.length)}.`
            : ofLines.length > 0
              ? `Correct ${addressCount(ofLines.length)}.`
              : undefined
        }
        hint="One per line."
      />
      <Refusals of={ofLines} added={added} />
      <CommonFields draft={draft} onChange={change} listFault={ofField('list')} endFault={ofField('expiresAt')} />
    </FormDialog>
  );
}

interface CommonProps {
  draft: SuppressionDraft;
  onChange: (changes: Partial<SuppressionDraft>) => void;
  listFault: string | undefined;
  endFault: string | undefined;
}

/** Fields shared by all addresses. */
function CommonFields({ draft: { reason, list, end }, onChange, listFault, endFault }: CommonProps) {
  return (
    <>
      <SelectField
        label="Reason"
        hint={SUPPRESSION_WORDS[reason].about}
        words={REASON_WORDS}
        value={reason}
        onChange={(next) => onChange({ reason: next })}
      />
      <TextField
        label="List"
        hint="Emails of this list aren’t sent. Leave empty for all emails."
        fault={listFault}
        autoComplete="off"
        spellCheck={false}
        value={list}
        onChange={(next) => onChange({ list: next })}
      />
      <TimeField
        label="Ends"
        hint="Leave empty to never expire."
        fault={endFault}
        value={end}
        onChange={(next) => onChange({ end: next })}
      />
    </>
  );
}

/** Lists refused addresses, and the number of added ones. */
function Refusals({ of, added }: { of: readonly Refusal[]; added: number }) {
  if (of.length === 0) return undefined;
  return (
    <div className="notice bad" role="alert">
      <div className="stack tight grow">
        {added > 0 && <span>{plural(added, 'address was', 'addresses were')} added. These failed:</span>}
        <ul className="stack tight">
          {of.slice(0, SHOWN).map(({ line, reason }, at) => (
            <li key={at} className="break">
              <code>{line}</code>: {reason}
            </li>
          ))}
        </ul>
        {of.length > SHOWN && <span className="muted">And {formatCount(of.length - SHOWN)} more.</span>}
      </div>
    </div>
  );
}
