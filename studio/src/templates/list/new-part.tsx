import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../api/api-context';
import { TextField } from '../../ui/controls';
import { SelectField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
import { problemOf } from '../model/problems';
import { CONTENT_WORDS, type ContentType } from '../model/template';

/** Form that creates a stylesheet or partial. */
export function NewPart({ word, onClose }: { word: 'stylesheet' | 'partial'; onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  const [contentType, setContentType] = useState<ContentType>('html');
  const isPartial = word === 'partial';
  const creating = useMutation({
    mutationFn: () => {
      const given = name.trim();
      return isPartial
        ? api.rendering.createPartial({ input: { name: given, contentType, body: '' } }, { id: true })
        : api.rendering.createCss({ input: { name: given, text: '' } }, { id: true });
    },
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['rendering'] });
      onClose();
      navigate(`/${word}s/${id}`);
    },
  });
  const fault = problemOf(creating.error);
  return (
    <FormDialog
      title={`New ${word}`}
      action="Create"
      tried={`create the ${word}`}
      sending={creating}
      isToldByField={fault?.place === 'name'}
      onSend={creating.mutate}
      onClose={onClose}
    >
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
        <SelectField
          label="Content"
          words={CONTENT_WORDS}
          value={contentType}
          onChange={setContentType}
          hint="Only templates with the same content can include it."
        />
      )}
    </FormDialog>
  );
}
