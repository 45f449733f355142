import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { Button, Field } from '../../ui/controls';
import { NoPermission } from '../../ui/states';
import { useFilters } from '../../ui/use-search';
import { documentPath } from '../data/filters';
import { Pick } from '../parts/pick';
import { DocumentHistory } from './document-history';
import styles from '../log.module.css';

/** History of one document, or a form to choose one. */
export function DocumentTab() {
  const [{ type, id }] = useFilters();
  const refusal = useRefusal(['document-log', 'query', 'logs']);
  if (refusal) return <NoPermission what="view the log" refusal={refusal} />;
  if (type && id) return <DocumentHistory key={`${type} ${id}`} documentType={type} documentId={id} />;
  return <Choose type={type ?? ''} id={id ?? ''} />;
}

function Choose(given: { type: string; id: string }) {
  const [, navigate] = useLocation();
  const [type, setType] = useState(given.type);
  const [id, setId] = useState(given.id);
  const show = (event: FormEvent) => {
    event.preventDefault();
    navigate(documentPath(type, id));
  };
  return (
    <div className="page-body">
      <div className={`stack ${styles.choose}`}>
        <p className="muted">Choose a document to see its history and its state at any time.</p>
        <form className={styles.line} onSubmit={show}>
          <Field label="Document type">
            {(ids) => <input {...ids} className="input" required value={type} onChange={({ target }) => setType(target.value)} />}
          </Field>
          <Field label="Document ID">
            {(ids) => <input {...ids} className="input" required value={id} onChange={({ target }) => setId(target.value)} />}
          </Field>
          <Button type="submit" look="primary">
            Show history
          </Button>
        </form>
        <Pick
          title="Recent documents"
          choiceOf={({ documentType, documentId }) => ({
            href: documentPath(documentType, documentId),
            word: documentId!,
            about: documentType!,
          })}
        />
      </div>
    </div>
  );
}
