import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../api/api-context';
import { Button, Field, Modal, TextField } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { problemOf } from '../model/problems';
import { CONTENT_WORDS, type ContentType, type TemplateType, TYPE_WORDS } from '../model/template';
import { keepSample } from '../editor/work/use-samples';
import { type Start, type StartName, STARTS } from './starts';

/** Asks for the name and the kind of a new template, and creates it. */
export function NewTemplate({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal title="New template" isOpen={isOpen} onClose={onClose}>
      <NewTemplateForm onClose={onClose} />
    </Modal>
  );
}

function NewTemplateForm({ onClose }: { onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  const [startName, setStart] = useState<StartName>('empty');
  const [type, setType] = useState<TemplateType>('email');
  const [contentType, setContentType] = useState<ContentType>('html');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const start: Start = STARTS[startName];
  const fault = problemOf(error);

  const choose = (next: StartName) => {
    if (name === '' || name === start.name) setName(STARTS[next].name);
    setStart(next);
  };
  const create = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const kind = start.kind ?? { type, contentType };
      const { body, subject, css, sample } = start;
      const input = { name: name.trim(), ...kind, body, ...(subject && { subject }), ...(css && { css }) };
      const { id } = await api.rendering.createTemplate({ input }, { id: true });
      keepSample(id, sample);
      void queries.invalidateQueries({ queryKey: ['rendering', 'templates'] });
      onClose();
      navigate(`/${id}`);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };

  return (
    <form className="stack" onSubmit={(event) => void create(event)}>
      <TextField
        label="Name"
        hint="Used to render the template from your application, for example receipt."
        fault={fault?.place === 'name' ? fault.reason : undefined}
        required
        maxLength={1_024}
        value={name}
        onChange={setName}
      />
      <StartChoice value={startName} onChange={choose} />
      {!start.kind && (
        <div className="row tpl-fields">
          <Choice label="Type" words={TYPE_WORDS} value={type} onChange={setType} hint="Can’t be changed later." />
          <Choice label="Content" words={CONTENT_WORDS} value={contentType} onChange={setContentType} />
        </div>
      )}
      {error !== undefined && fault?.place !== 'name' && <ErrorNotice error={error} tried="create the template" />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={isBusy}>
          Create
        </Button>
      </div>
    </form>
  );
}

function StartChoice({ value, onChange }: { value: StartName; onChange: (value: StartName) => void }) {
  const id = useId();
  return (
    <div className="field">
      <span className="label" id={id}>
        Start from
      </span>
      <RadioGroup className="tpl-starts" aria-labelledby={id} value={value} onValueChange={(next) => onChange(next as StartName)}>
        {Object.entries(STARTS).map(([start, { word, about }]) => (
          <label key={start} className="tpl-start">
            <Radio.Root className="tpl-radio" value={start}>
              <Radio.Indicator className="tpl-radio-dot" />
            </Radio.Root>
            <span className="grow">
              <span className="tpl-start-word">{word}</span>
              <span className="muted small">{about}</span>
            </span>
          </label>
        ))}
      </RadioGroup>
    </div>
  );
}

/** Chooses one of some words. */
export function Choice<V extends string>({
  label,
  words,
  value,
  onChange,
  hint,
}: {
  label: string;
  words: Readonly<Record<V, string>>;
  value: V;
  onChange: (value: V) => void;
  hint?: string;
}) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <select {...ids} className="input" value={value} onChange={({ target }) => onChange(target.value as V)}>
          {Object.entries<string>(words).map(([option, word]) => (
            <option key={option} value={option}>
              {word}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
