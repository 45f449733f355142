import { Tabs } from '@base-ui/react/tabs';
import { TextField } from '../../../ui/controls';
import { TextAreaField } from '../../../ui/fields';
import type { Draft, Faults, Form } from '../draft/draft';
import { CodeField } from '../../../templates/code/code-field';
import { TemplateField } from './template-field';

interface BodyFieldProps {
  draft: Draft;
  onChange: (changes: Partial<Draft>) => void;
  faults: Faults;
}

const FORMS: readonly (readonly [Form, string])[] = [
  ['text', 'Text'],
  ['html', 'HTML'],
  ['template', 'Template'],
];

/** The body of the mail: text, HTML, or a template with its values. */
export function BodyField({ draft, onChange, faults }: BodyFieldProps) {
  const subject = (
    <TextField label="Subject" fault={faults.subject} value={draft.subject} onChange={(text) => onChange({ subject: text })} />
  );
  return (
    <Tabs.Root value={draft.form} onValueChange={(form) => onChange({ form: form as Form })} className="stack">
      <Tabs.List className="tabs" aria-label="Email type">
        {FORMS.map(([form, word]) => (
          <Tabs.Tab key={form} value={form} className="tab">
            {word}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="text" className="stack">
        {subject}
        <TextAreaField
          label="Text"
          rows={12}
          value={draft.text}
          onChange={(text) => onChange({ text })}
          fault={faults.textBody}
        />
      </Tabs.Panel>
      <Tabs.Panel value="html" className="stack">
        {subject}
        <CodeField
          label="HTML"
          language="html"
          rows={14}
          value={draft.html}
          onChange={(html) => onChange({ html })}
          fault={faults.htmlBody}
        />
        <TextAreaField
          label="Plain text version"
          rows={4}
          value={draft.text}
          onChange={(text) => onChange({ text })}
          fault={faults.textBody}
          hint="Generated from the HTML if left empty."
        />
      </Tabs.Panel>
      <Tabs.Panel value="template" className="stack">
        <TemplateField draft={draft} onChange={onChange} faults={faults} />
      </Tabs.Panel>
    </Tabs.Root>
  );
}
