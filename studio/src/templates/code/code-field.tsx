import { Field, type FieldProps } from '../../ui/controls';
import { Code } from './lazy-code';
import type { Language } from './extensions';
import styles from '../templates.module.css';

type CodeFieldProps = Omit<FieldProps, 'children'> & {
  value: string;
  onChange: (value: string) => void;
  language: Language;
  rows?: number;
  autoFocus?: boolean;
};

const LINE_REM = 1.4;

/** A labelled code field, whose editor is loaded once it is focused. */
export function CodeField({ value, onChange, language, rows = 12, autoFocus = false, ...field }: CodeFieldProps) {
  return (
    <Field {...field}>
      {(ids) => (
        <div className={styles.codeField} data-fault={field.fault ? true : undefined}>
          <Code
            isLate
            label={field.label}
            value={value}
            onChange={onChange}
            language={language}
            box={{ className: `input ${styles.codeBox}`, style: { height: `${rows * LINE_REM}rem` } }}
            area={{ ...ids, className: 'input mono', rows, autoFocus }}
          />
        </div>
      )}
    </Field>
  );
}
