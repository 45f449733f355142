import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { useId } from 'react';
import { useLocation } from 'wouter';
import { TextField } from '../../ui/controls';
import { SelectField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
import { useForm } from '../../ui/use-form';
import { CONTENT_WORDS, type ContentType, type TemplateType, TYPE_WORDS } from '../model/template';
import { type Start, type StartName, STARTS } from './starts';
import styles from '../templates.module.css';

/** Form that creates a template. */
export function NewTemplate({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const form = useForm({
    first: { name: '', start: 'empty' as StartName, type: 'email' as TemplateType, contentType: 'html' as ContentType },
    send: (values, { rendering }) => {
      const { kind, body, subject, css, sample }: Start = STARTS[values.start];
      const input = {
        name: values.name.trim(),
        ...(kind ?? { type: values.type, contentType: values.contentType }),
        body,
        ...(subject && { subject }),
        ...(css && { css }),
        ...(sample && { sampleParams: sample }),
      };
      return rendering.createTemplate({ input }, { id: true });
    },
    again: ['rendering', 'templates'],
    onDone: ({ id }) => {
      onClose();
      navigate(`/${id}`);
    },
  });
  const { name, start } = form.values;
  const choose = (next: StartName) => {
    const isOwnName = name !== '' && name !== STARTS[start].name;
    form.set({ start: next, ...(!isOwnName && { name: STARTS[next].name }) });
  };
  return (
    <FormDialog form={form} title="New template" action="Create" tried="create the template" onClose={onClose}>
      <TextField
        label="Name"
        hint="Used to render the template from your application, for example receipt."
        required
        maxLength={1_024}
        {...form.field('name')}
      />
      <StartChoice value={start} onChange={choose} />
      {!(STARTS[start] as Start).kind && (
        <div className={`row ${styles.fields}`}>
          <SelectField label="Type" words={TYPE_WORDS} hint="Can’t be changed later." {...form.field('type')} />
          <SelectField label="Content" words={CONTENT_WORDS} {...form.field('contentType')} />
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
        className="stack tight"
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

/** Form that creates a stylesheet or partial. */
export function NewPart({ word, onClose }: { word: 'stylesheet' | 'partial'; onClose: () => void }) {
  const [, navigate] = useLocation();
  const isPartial = word === 'partial';
  const form = useForm({
    first: { name: '', contentType: 'html' as ContentType },
    send: ({ name, contentType }, { rendering }) => {
      const given = name.trim();
      return isPartial
        ? rendering.createPartial({ input: { name: given, contentType, body: '' } }, { id: true })
        : rendering.createCss({ input: { name: given, text: '' } }, { id: true });
    },
    again: ['rendering'],
    onDone: ({ id }) => {
      onClose();
      navigate(`/${word}s/${id}`);
    },
  });
  return (
    <FormDialog form={form} title={`New ${word}`} action="Create" tried={`create the ${word}`} onClose={onClose}>
      <TextField
        label="Name"
        hint="Can’t be changed later."
        required
        maxLength={isPartial ? 100 : 1_024}
        {...form.field('name')}
      />
      {isPartial && (
        <SelectField
          label="Content"
          words={CONTENT_WORDS}
          hint="Only templates with the same content can include it."
          {...form.field('contentType')}
        />
      )}
    </FormDialog>
  );
}
