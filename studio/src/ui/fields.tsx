import type { ComponentProps, ReactNode } from 'react';
import { Field, type FieldProps, TextField } from './controls';
import { timeLabel } from './zone';

/** Values and their labels, in the order of a choice. */
type Words<V extends string | number> = Readonly<Record<V, string>> | readonly (readonly [value: V, word: string])[];

type SelectFieldProps<V extends string | number> = Omit<FieldProps, 'children'> & {
  words: Words<V>;
  value: V;
  onChange: (value: V) => void;
  disabled?: boolean;
  className?: string;
  /** Shown beside the choice. */
  aside?: ReactNode;
};

/** A labelled choice. */
export function SelectField<V extends string | number>(props: SelectFieldProps<V>) {
  const { label, hint, fault, words, value, onChange, disabled = false, className = '', aside } = props;
  const choices: readonly (readonly [V, string])[] = Array.isArray(words) ? words : (Object.entries(words) as [V, string][]);
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(ids) => {
        const select = (
          <select
            {...ids}
            className={`input ${className}`.trim()}
            value={value}
            disabled={disabled}
            onChange={({ target }) => onChange(choices[target.selectedIndex]![0])}
          >
            {choices.map(([choice, word]) => (
              <option key={choice} value={choice}>
                {word}
              </option>
            ))}
          </select>
        );
        return aside ? (
          <span className="row">
            {select}
            {aside}
          </span>
        ) : (
          select
        );
      }}
    </Field>
  );
}

type TextAreaFieldProps = Omit<FieldProps, 'children'> &
  Omit<ComponentProps<'textarea'>, 'onChange' | 'value' | 'id'> & { value: string; onChange: (value: string) => void };

/** A labelled field of several lines. `className` is added to that of all fields. */
export function TextAreaField({ label, hint, fault, onChange, className = '', ...rest }: TextAreaFieldProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(ids) => (
        <textarea {...ids} {...rest} className={`input ${className}`.trim()} onChange={({ target }) => onChange(target.value)} />
      )}
    </Field>
  );
}

interface CheckboxFieldProps {
  label: string;
  value: boolean;
  onChange: (checked: boolean) => void;
}

/** A labelled checkbox. */
export function CheckboxField({ label, value, onChange }: CheckboxFieldProps) {
  return (
    <label className="row">
      <Checkbox checked={value} onChange={onChange} />
      {label}
    </label>
  );
}

interface CheckboxProps extends Pick<CheckboxFieldProps, 'onChange'> {
  checked: boolean;
  /** For a checkbox without a visible label. */
  'aria-label'?: string;
}

/** A checkbox. */
export const Checkbox = ({ onChange, ...rest }: CheckboxProps) => (
  <input {...rest} type="checkbox" className="tick" onChange={({ target }) => onChange(target.checked)} />
);

/** A labelled date and time, in the chosen zone. Its value is the text of the browser field. */
export const TimeField = ({ label, ...rest }: Omit<ComponentProps<typeof TextField>, 'type'>) => (
  <TextField {...rest} label={timeLabel(label)} type="datetime-local" />
);
