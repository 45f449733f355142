import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../api/api-context';
import { Button, Modal, TextField } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { problemOf } from '../model/problems';

/** Asks for the name of a new stylesheet, and creates it. */
export function NewStylesheet({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal title="New stylesheet" isOpen={isOpen} onClose={onClose}>
      <NewStylesheetForm onClose={onClose} />
    </Modal>
  );
}

function NewStylesheetForm({ onClose }: { onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const fault = problemOf(error);
  const create = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { id } = await api.rendering.createCss({ input: { name: name.trim(), text: '' } }, { id: true });
      await queries.invalidateQueries({ queryKey: ['rendering', 'css'] });
      onClose();
      navigate(`/stylesheets/${id}`);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <form className="stack" onSubmit={(event) => void create(event)}>
      <TextField
        label="Name"
        hint="Can’t be changed later."
        fault={fault?.place === 'name' ? fault.reason : undefined}
        required
        maxLength={1_024}
        value={name}
        onChange={setName}
      />
      {error !== undefined && fault?.place !== 'name' && <ErrorNotice error={error} tried="create the stylesheet" />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={isBusy}>
          Create
        </Button>
      </div>
    </form>
  );
}
