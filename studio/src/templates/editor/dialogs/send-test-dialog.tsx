import { useLocation } from 'wouter';
import { useRefusal } from '../../../api/api-context';
import { useRead } from '../../../api/use-read';
import { TextField } from '../../../ui/controls';
import { SelectField } from '../../../ui/fields';
import { FormDialog } from '../../../ui/form-dialog';
import { toasts } from '../../../ui/toasts';
import { useForm } from '../../../ui/use-form';
import type { Preview, Reader } from '../work/use-preview';

interface SendProps {
  onClose: () => void;
  name: string;
  isDirty: boolean;
  preview: Preview;
  /** Sample data, as JSON. */
  params: string;
  reader: Reader;
}

const TO = 'studio-test-mail-to';

/** Sends the template as a mail, with the sample data. */
export function SendTestDialog({ onClose, name, isDirty, preview, params, reader }: SendProps) {
  const [, navigate] = useLocation();
  const senders = useSenders();
  const problem = problemOfSending(isDirty, preview);
  const form = useForm({
    first: () => ({ to: sessionStorage.getItem(TO) ?? '', from: '' }),
    send: ({ to, from }, { email }) => {
      const content = isDirty ? rendered(preview) : { templateName: name, params, ...forReader(reader) };
      const input = { to: [{ address: to.trim() }], ...(from && { from: { address: from } }), ...content };
      return email.sendMessage({ input }, { id: true });
    },
    onDone: ({ id }, { to }) => {
      sessionStorage.setItem(TO, to.trim());
      onClose();
      toasts.add({
        title: `Test email sent to ${to.trim()}`,
        actionProps: { children: 'Show email', onClick: () => navigate(`~/studio/email/${id}`) },
      });
    },
  });
  return (
    <FormDialog form={form} title="Send test email" action="Send" tried="send the test email" refusal={problem} onClose={onClose}>
      <TextField label="To" type="email" required autoComplete="email" {...form.field('to')} />
      <SelectField
        label="From"
        hint={senders.hint}
        words={[['', 'Server default'], ...senders.addresses.map((address) => [address, address] as const)]}
        {...form.field('from')}
      />
      <p className="muted small">
        {isDirty ? 'Sends your unsaved changes as shown in the preview.' : 'Sends the saved template with the sample data.'}
      </p>
      {problem && (
        <p className="notice wait" role="status">
          {problem}
        </p>
      )}
    </FormDialog>
  );
}

/** Reason why the mail cannot be sent. */
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
  const refusal = useRefusal(['email', 'query', 'emailIdentities']);
  const { data, error } = useRead({
    queryKey: ['email', 'identities', 'verified'],
    read: async (api, signal) => {
      const found = await api.email.emailIdentities({}, { address: true, status: true }, { signal });
      return found.filter(({ status }) => status === 'VERIFIED').map(({ address }) => address ?? '');
    },
    enabled: refusal === undefined,
  });
  if (refusal) return { addresses: [], hint: `${refusal}, so you can’t choose another sender` };
  if (error) return { addresses: [], hint: 'Couldn’t load other senders' };
  return { addresses: data ?? [], hint: 'Verify other senders in Email' };
}
