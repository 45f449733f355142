import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../api/api-context';
import { Button, Modal, TextField } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { problemOf } from '../model/problems';
import { CONTENT_WORDS, type ContentType } from '../model/template';
import { Choice } from './new-template';

interface Props {
  word: 'stylesheet' | 'partial';
  isOpen: boolean;
  onClose: () => void;
}

/** Asks for the name of a new stylesheet or partial, and creates it. */
export function NewPart({ word, isOpen, onClose }: Props) {
  return (
    <Modal title={`New ${word}`} isOpen={isOpen} onClose={onClose}>
      <NewPartForm word={word} onClose={onClose} />
    </Modal>
  );
}

function NewPartForm({ word, onClose }: Omit<Props, 'isOpen'>) {
  const api = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  const [contentType, setContentType] = useState<ContentType>('html');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const fault = problemOf(error);
  const isPartial = word === 'partial';
  const create = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    const given = name.trim();
    try {
      const { id } = isPartial
        ? await api.rendering.createPartial({ input: { name: given, contentType, body: '' } }, { id: true })
        : await api.rendering.createCss({ input: { name: given, text: '' } }, { id: true });
      await queries.invalidateQueries({ queryKey: ['rendering'] });
      onClose();
      navigate(`/${word}s/${id}`);
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
        maxLength={isPartial ? 100 : 1_024}
        value={name}
        onChange={setName}
      />
      {isPartial && (
        <Choice
          label="Content"
          words={CONTENT_WORDS}
          value={contentType}
          onChange={setContentType}
          hint="Only templates with the same content can include it."
        />
      )}
      {error !== undefined && fault?.place !== 'name' && <ErrorNotice error={error} tried={`create the ${word}`} />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={isBusy}>
          Create
        </Button>
      </div>
    </form>
  );
}
