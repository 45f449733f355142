import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button, Modal, TextField } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';

interface SettingDialogProps {
  title: string;
  label: string;
  hint: string;
  /** Describes a right value. */
  rule: string;
  /** Such as limit or period. */
  what: string;
  tenantId: string;
  now: number | null;
  /** Whether it was set for this tenant, so that it can follow the server again. */
  isOwn: boolean;
  /** The number that an empty field stands for; without it the field must be filled. */
  empty?: number;
  /** Null for the setting of the server. */
  set: (value: number | null) => Promise<unknown>;
  onClose: () => void;
}

/** Changes a number that is kept for a tenant, or leaves it to the server. */
export function SettingDialog({ title, label, hint, rule, what, tenantId, now, isOwn, empty, set, onClose }: SettingDialogProps) {
  const queries = useQueryClient();
  const [entered, setEntered] = useState(now === null ? '' : String(now));
  const setting = useMutation({
    meta: { done: 'Setting saved' },
    mutationFn: set,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['admin', 'tenant', tenantId] });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setting.mutate(entered === '' && empty !== undefined ? empty : Number(entered));
  };
  return (
    <Modal title={title} isOpen onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextField
          label={label}
          hint={hint}
          inputMode="numeric"
          required={empty === undefined}
          pattern="[1-9][0-9]*"
          title={rule}
          value={entered}
          onChange={setEntered}
        />
        {setting.error && <ErrorNotice error={setting.error} tried={`save the ${what}`} />}
        <div className="actions">
          {isOwn && <Button onClick={() => setting.mutate(null)}>Use server default</Button>}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={setting.isPending}>
            Save {what}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
