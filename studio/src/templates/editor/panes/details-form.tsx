import { Pencil1Icon } from '@radix-ui/react-icons';
import { Link } from 'wouter';
import { Field, Switch, TextField } from '../../../ui/controls';
import { CopyText } from '../../../ui/copy';
import { Facts } from '../../../ui/page';
import { Time } from '../../../ui/status';
import type { Problem } from '../../model/problems';
import { CONTENT_WORDS, type ContentType, type Draft, type Saved, TYPE_WORDS } from '../../model/template';
import { useStylesheets } from '../../reading';

interface DetailsProps {
  draft: Draft;
  base: Saved;
  faults: readonly Problem[];
  onChange: (part: Partial<Draft>) => void;
  isReadOnly: boolean;
}

/** Everything of a template besides its texts. */
export function DetailsForm({ draft, base, faults, onChange, isReadOnly }: DetailsProps) {
  const faultOf = (place: string) => faults.find((problem) => problem.place === place)?.reason;
  return (
    <div className="details-form stack">
      <TextField
        label="Name"
        hint="Applications render it by this name"
        fault={faultOf('name')}
        value={draft.name}
        maxLength={1_024}
        readOnly={isReadOnly}
        onChange={(text) => onChange({ name: text })}
      />
      <Field label="Comment" hint="For whoever works on it next. Nobody else sees it." fault={faultOf('comment')}>
        {(ids) => (
          <textarea
            {...ids}
            className="input"
            rows={2}
            maxLength={4_096}
            value={draft.comment}
            readOnly={isReadOnly}
            onChange={({ target }) => onChange({ comment: target.value })}
          />
        )}
      </Field>
      <Field
        label="Content"
        hint={
          draft.contentType === 'plain' && (draft.css || draft.parentCssId)
            ? 'Plain text has no styles. The CSS and the stylesheet are taken away when it is saved.'
            : undefined
        }
      >
        {(ids) => (
          <select
            {...ids}
            className="input"
            value={draft.contentType}
            disabled={isReadOnly}
            onChange={({ target }) => onChange({ contentType: target.value as ContentType })}
          >
            {Object.entries(CONTENT_WORDS).map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </select>
        )}
      </Field>
      {draft.contentType === 'html' && (
        <StylesheetField draft={draft} onChange={onChange} isReadOnly={isReadOnly} fault={faultOf('parentCssId')} />
      )}
      <div className="stack tight">
        <Switch label="Active" checked={draft.isActive} disabled={isReadOnly} onChange={(isActive) => onChange({ isActive })} />
        <span className="muted small">A mark for your applications. A template that is not active is rendered all the same.</span>
      </div>
      <Facts
        of={[
          ['Type', TYPE_WORDS[base.type]],
          ['Id', <CopyText key="id" text={base.id} label="Copy the id" />],
          ['Saved', <Time key="saved" at={base.updatedAt} />],
          ['Created', <Time key="created" at={base.createdAt} />],
          ['Saved by', base.author],
        ]}
      />
    </div>
  );
}

function StylesheetField({
  draft,
  onChange,
  isReadOnly,
  fault,
}: Pick<DetailsProps, 'draft' | 'onChange' | 'isReadOnly'> & { fault: string | undefined }) {
  const { items, error, isPending } = useStylesheets();
  const isKnown = items.some(({ id }) => id === draft.parentCssId);
  return (
    <Field
      label="Shared stylesheet"
      hint={error ? 'The stylesheets could not be read' : 'Its rules come before the CSS of this template'}
      fault={fault}
    >
      {(ids) => (
        <span className="row">
          <select
            {...ids}
            className="input"
            value={draft.parentCssId}
            disabled={isReadOnly || isPending}
            onChange={({ target }) => onChange({ parentCssId: target.value })}
          >
            <option value="">None</option>
            {draft.parentCssId && !isKnown && <option value={draft.parentCssId}>{draft.parentCssId}</option>}
            {items.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
          {draft.parentCssId && (
            <Link className="button" href={`/stylesheets/${draft.parentCssId}`}>
              <Pencil1Icon aria-hidden />
              Edit it
            </Link>
          )}
        </span>
      )}
    </Field>
  );
}
