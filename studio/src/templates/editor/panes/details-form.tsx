import { Pencil1Icon } from '@radix-ui/react-icons';
import { Link } from 'wouter';
import { Switch, TextField } from '../../../ui/controls';
import { SelectField, TextAreaField } from '../../../ui/fields';
import { Facts } from '../../../ui/page';
import { Time } from '../../../ui/status';
import type { Problem } from '../../model/problems';
import { CONTENT_WORDS, type Draft, type Saved, TYPE_WORDS } from '../../model/template';
import { PartLinks } from './part-details';
import { useTemplateNames } from '../../reading';
import { useStylesheets } from '../../reading-parts';
import styles from '../../templates.module.css';

interface DetailsProps {
  draft: Draft;
  base: Saved;
  faults: readonly Problem[];
  onChange: (part: Partial<Draft>) => void;
  isReadOnly: boolean;
}

/** Form for everything except the texts of a template. */
export function DetailsForm({ draft, base, faults, onChange, isReadOnly }: DetailsProps) {
  const faultOf = (place: string) => faults.find((problem) => problem.place === place)?.reason;
  return (
    <div className={`${styles.detailsForm} stack`}>
      <h2 className="visually-hidden">Details</h2>
      <TextField
        label="Name"
        hint="Used to render the template from your application."
        fault={faultOf('name')}
        value={draft.name}
        maxLength={1_024}
        readOnly={isReadOnly}
        onChange={(text) => onChange({ name: text })}
      />
      <TextAreaField
        label="Comment"
        hint="Visible in Studio only."
        fault={faultOf('comment')}
        rows={2}
        maxLength={4_096}
        value={draft.comment}
        readOnly={isReadOnly}
        onChange={(comment) => onChange({ comment })}
      />
      <SelectField
        label="Content"
        hint={
          draft.contentType === 'plain' && (draft.css || draft.parentCssId)
            ? 'Plain text has no styles. Saving removes the CSS and the stylesheet.'
            : undefined
        }
        words={CONTENT_WORDS}
        value={draft.contentType}
        disabled={isReadOnly}
        onChange={(contentType) => onChange({ contentType })}
      />
      {draft.contentType === 'html' && (
        <StylesheetField draft={draft} base={base} onChange={onChange} isReadOnly={isReadOnly} fault={faultOf('parentCssId')} />
      )}
      <LayoutField draft={draft} base={base} onChange={onChange} isReadOnly={isReadOnly} fault={faultOf('layoutId')} />
      <TextField
        label="Language"
        hint="Tag of the language of its texts, for example de or pt-BR."
        fault={faultOf('locale')}
        value={draft.locale}
        readOnly={isReadOnly}
        onChange={(locale) => onChange({ locale })}
      />
      <div className="stack tight">
        <Switch label="Active" checked={draft.isActive} disabled={isReadOnly} onChange={(isActive) => onChange({ isActive })} />
        <span className="muted small">For your own use. Inactive templates can still be rendered.</span>
      </div>
      <PartLinks draft={draft} base={base} />
      <Facts
        of={[
          ['Type', TYPE_WORDS[base.type]],
          ['Saved', <Time key="saved" at={base.updatedAt} />],
          ['Created', <Time key="created" at={base.createdAt} />],
          ['Saved by', base.author],
        ]}
      />
    </div>
  );
}

function StylesheetField({ draft, base, onChange, isReadOnly, fault }: PartProps) {
  const { items, error, isPending } = useStylesheets();
  // A template has a stylesheet of its own tenant.
  const fitting = items.filter(({ isInherited }) => isInherited === base.isInherited);
  return (
    <PartSelect
      label="Shared stylesheet"
      hint={error ? 'Couldn’t load stylesheets' : 'Applied before the CSS of this template'}
      fault={fault}
      value={draft.parentCssId}
      items={fitting}
      isDisabled={isReadOnly || isPending}
      href={`/stylesheets/${draft.parentCssId}`}
      onChange={(parentCssId) => onChange({ parentCssId })}
    />
  );
}

function LayoutField({ draft, base, onChange, isReadOnly, fault }: PartProps) {
  const { data: templates = [], error, isPending } = useTemplateNames();
  const { contentType } = draft;
  const fitting = templates.filter((one) => one.id !== base.id && one.type === base.type && one.contentType === contentType);
  return (
    <PartSelect
      label="Layout"
      hint={error ? 'Couldn’t load templates' : 'The body of this template goes into {% block content %} of the layout'}
      fault={fault}
      value={draft.layoutId}
      items={fitting}
      isDisabled={isReadOnly || isPending}
      href={`/${draft.layoutId}`}
      onChange={(layoutId) => onChange({ layoutId })}
    />
  );
}

type PartProps = Pick<DetailsProps, 'draft' | 'base' | 'onChange' | 'isReadOnly'> & { fault: string | undefined };

interface PartSelectProps {
  label: string;
  hint: string;
  fault: string | undefined;
  value: string;
  items: readonly { id: string; name: string }[];
  isDisabled: boolean;
  /** Link to the editor of the chosen part. */
  href: string;
  onChange: (id: string) => void;
}

/** Choice of a shared part, or none. */
function PartSelect({ label, hint, fault, value, items, isDisabled, href, onChange }: PartSelectProps) {
  const unknown = value && !items.some(({ id }) => id === value) ? [[value, value] as const] : [];
  const words = [['', 'None'] as const, ...unknown, ...items.map(({ id, name }) => [id, name] as const)];
  return (
    <SelectField
      label={label}
      hint={hint}
      fault={fault}
      words={words}
      value={value}
      disabled={isDisabled}
      onChange={onChange}
      aside={
        value && (
          <Link className="button" href={href}>
            <Pencil1Icon aria-hidden />
            Edit
          </Link>
        )
      }
    />
  );
}
