import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { useApi, useRefusal } from '../../../api/api-context';
import { PlatformError } from '../../../../../clients/js/src/errors';
import { Button, Field, Modal, TextField } from '../../../ui/controls';
import { ErrorNotice } from '../../../ui/states';
import { toasts } from '../../../ui/toasts';
import type { Preview, Reader } from '../work/use-preview';

interface SendProps {
  isOpen: boolean;
  onClose: () => void;
  name: string;
  isDirty: boolean;
  preview: Preview;
  /** Sample data, as JSON. */
  params: string;
  reader: Reader;
}

/** Sends the template as a mail, filled with the sample data. */
export function SendTestDialog({ isOpen, onClose, ...props }: SendProps) {
  return (
    <Modal title="Send test email" isOpen={isOpen} onClose={onClose}>
      <SendForm onClose={onClose} {...props} />
    </Modal>
  );
}

const TO = 'studio-test-mail-to';

function SendForm({ onClose, name, isDirty, preview, params, reader }: Omit<SendProps, 'isOpen'>) {
  const api = useApi();
  const [, navigate] = useLocation();
  const [to, setTo] = useState(() => sessionStorage.getItem(TO) ?? '');
  const [from, setFrom] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const senders = useSenders();
  const problem = problemOfSending(isDirty, preview);
  const fieldFault = error instanceof PlatformError && /^input\.(to|from)/.exec(error.field ?? '')?.[1];

  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (problem || isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      const content = isDirty ? rendered(preview) : { templateName: name, params, ...forReader(reader) };
      const input = { to: [{ address: to.trim() }], ...(from && { from: { address: from } }), ...content };
      const { id } = await api.email.sendMessage({ input }, { id: true });
      sessionStorage.setItem(TO, to.trim());
      onClose();
      toasts.add({
        title: `Test email sent to ${to.trim()}`,
        actionProps: { children: 'Show email', onClick: () => navigate(`~/studio/email/${id}`) },
      });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };

  return (
    <form className="stack" onSubmit={(event) => void send(event)}>
      <TextField
        label="To"
        fault={fieldFault === 'to' ? (error as Error).message : undefined}
        type="email"
        required
        autoComplete="email"
        value={to}
        onChange={setTo}
      />
      <Field label="From" hint={senders.hint} fault={fieldFault === 'from' ? (error as Error).message : undefined}>
        {(ids) => (
          <select {...ids} className="input" value={from} onChange={({ target }) => setFrom(target.value)}>
            <option value="">Server default</option>
            {senders.addresses.map((address) => (
              <option key={address}>{address}</option>
            ))}
          </select>
        )}
      </Field>
      <p className="muted small">
        {isDirty ? 'Sends your unsaved changes as shown in the preview.' : 'Sends the saved template with the sample data.'}
      </p>
      {problem && (
        <p className="notice wait" role="status">
          {problem}
        </p>
      )}
      {error !== undefined && !fieldFault && <ErrorNotice error={error} tried="send the test email" />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={isBusy} refusal={problem}>
          Send
        </Button>
      </div>
    </form>
  );
}

/** Why the mail cannot be sent as it is now. */
function problemOfSending(isDirty: boolean, { isBroken, isCurrent, result, refusal }: Preview): string | undefined {
  if (!isDirty) return undefined;
  if (refusal) return `${refusal}, so you can’t send unsaved changes. Save the template first.`;
  if (isBroken) return 'Fix the error in the template first.';
  if (!isCurrent || !result) return 'Rendering the preview…';
  return result.subject ? undefined : 'Add a subject first.';
}

const forReader = ({ locale, timeZone }: Reader) => ({ ...(locale && { locale }), ...(timeZone && { timeZone }) });

function rendered({ result }: Preview) {
  const body = result?.body ?? '';
  const subject = result?.subject ?? '';
  return result?.contentType === 'html'
    ? { subject, htmlBody: body, ...(result.text && { textBody: result.text }) }
    : { subject, textBody: body };
}

/** Addresses that the tenant may send from. */
function useSenders(): { addresses: string[]; hint: string } {
  const api = useApi();
  const refusal = useRefusal(['email', 'query', 'emailIdentities']);
  const { data, error } = useQuery({
    queryKey: ['email', 'identities', 'verified'],
    queryFn: async ({ signal }) => {
      const found = await api.email.emailIdentities({}, { address: true, status: true }, { signal });
      return found.filter(({ status }) => status === 'VERIFIED').map(({ address }) => address ?? '');
    },
    enabled: refusal === undefined,
  });
  if (refusal) return { addresses: [], hint: `${refusal}, so you can’t choose another sender` };
  if (error) return { addresses: [], hint: 'Couldn’t load other senders' };
  return { addresses: data ?? [], hint: 'Verify other senders in Email' };
}
