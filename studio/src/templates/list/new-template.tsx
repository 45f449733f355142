import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../api/api-context';
import { TextField } from '../../ui/controls';
import { SelectField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
import { problemOf } from '../model/problems';
import { CONTENT_WORDS, type ContentType, type TemplateType, TYPE_WORDS } from '../model/template';
import { type Start, type StartName, STARTS } from './starts';
import styles from '../templates.module.css';

/** Form that creates a template. */
export function NewTemplate({ onClose }: { onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  const [startName, setStart] = useState<StartName>('empty');
  const [type, setType] = useState<TemplateType>('email');
  const [contentType, setContentType] = useState<ContentType>('html');
  const start: Start = STARTS[startName];
  const choose = (next: StartName) => {
    if (name === '' || name === start.name) setName(STARTS[next].name);
    setStart(next);
  };
  const creating = useMutation({
    mutationFn: () => {
      const kind = start.kind ?? { type, contentType };
      const { body, subject, css, sample } = start;
      const input = {
        name: name.trim(),
        ...kind,
        body,
        ...(subject && { subject }),
        ...(css && { css }),
        ...(sample && { sampleParams: sample }),
      };
      return api.rendering.createTemplate({ input }, { id: true });
    },
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: ['rendering', 'templates'] });
      onClose();
      navigate(`/${id}`);
    },
  });
  const fault = problemOf(creating.error);
  return (
    <FormDialog
      title="New template"
      action="Create"
      tried="create the template"
      sending={creating}
      isToldByField={fault?.place === 'name'}
      onSend={creating.mutate}
      onClose={onClose}
    >
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
        <div className={`row ${styles.fields}`}>
          <SelectField label="Type" words={TYPE_WORDS} value={type} onChange={setType} hint="Can’t be changed later." />
          <SelectField label="Content" words={CONTENT_WORDS} value={contentType} onChange={setContentType} />
        </div>
      )}
    </FormDialog>
  );
}

function StartChoice({ value, onChange }: { value: StartName; onChange: (value: StartName) => void }) {
  const id = useId();
  return (
    <div className="field">
      <span className="label" id={id}>
        Start from
      </span>
      <RadioGroup
        className={styles.starts}
        aria-labelledby={id}
        value={value}
        onValueChange={(next) => onChange(next as StartName)}
      >
        {Object.entries(STARTS).map(([start, { word, about }]) => (
          <label key={start} className={styles.start}>
            <Radio.Root className={styles.radio} value={start}>
              <Radio.Indicator className={styles.radioDot} />
            </Radio.Root>
            <span className="grow">
              <span className={styles.startWord}>{word}</span>
              <span className="muted small">{about}</span>
            </span>
          </label>
        ))}
      </RadioGroup>
    </div>
  );
}
