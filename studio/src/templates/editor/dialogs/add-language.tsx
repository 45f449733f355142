import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../../api/api-context';
import { Button, Modal } from '../../../ui/controls';
import { ErrorNotice } from '../../../ui/states';
import { canonical } from '../../model/languages';
import type { Saved } from '../../model/template';
import { LanguageField } from '../panes/reader-bar';

/** Begins a translation with the texts of the template as they are saved. */
export function AddLanguage({ of, isOpen, onClose }: { of: Saved; isOpen: boolean; onClose: () => void }) {
  return (
    <Modal title="Add language" isOpen={isOpen} onClose={onClose}>
      <AddForm of={of} onClose={onClose} />
    </Modal>
  );
}

function AddForm({ of, onClose }: { of: Saved; onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const tag = canonical(text);
  const taken = [of.locale, ...of.translations.map(({ locale }) => locale)];
  const fault = tag && taken.includes(tag) ? 'The template has this language already.' : undefined;
  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (!tag || fault || isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      const input = { subject: of.subject || null, body: of.body };
      const { locale } = await api.rendering.putTemplateTranslation({ templateId: of.id, locale: tag, input }, { locale: true });
      await queries.invalidateQueries({ queryKey: ['rendering'] });
      onClose();
      navigate(`${of.href}/${locale}`);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <form className="stack" onSubmit={(event) => void add(event)}>
      <LanguageField
        label="Language"
        hint="A tag, for example de or pt-BR."
        fault={fault}
        required
        value={text}
        onChange={setText}
      />
      <p className="muted small">The translation begins with the saved texts of the template.</p>
      {error !== undefined && <ErrorNotice error={error} tried="add the language" />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={isBusy} refusal={tag ? fault : 'Enter a language tag first'}>
          Add
        </Button>
      </div>
    </form>
  );
}
