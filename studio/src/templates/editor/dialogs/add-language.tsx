import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../../api/api-context';
import { FormDialog } from '../../../ui/form-dialog';
import { canonical } from '../../model/languages';
import type { Saved } from '../../model/template';
import { LanguageField } from '../panes/reader-bar';

/** Creates a translation with the saved texts of the template. */
export function AddLanguage({ of, onClose }: { of: Saved; onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const tag = canonical(text);
  const taken = [of.locale, ...of.translations.map(({ locale }) => locale)];
  const fault = tag && taken.includes(tag) ? 'The template has this language already.' : undefined;
  const adding = useMutation({
    mutationFn: () => {
      const input = { subject: of.subject || null, body: of.body };
      return api.rendering.putTemplateTranslation({ templateId: of.id, locale: tag!, input }, { locale: true });
    },
    onSuccess: async ({ locale }) => {
      await queries.invalidateQueries({ queryKey: ['rendering'] });
      onClose();
      navigate(`${of.href}/${locale}`);
    },
  });
  return (
    <FormDialog
      title="Add language"
      action="Add"
      tried="add the language"
      sending={adding}
      refusal={tag ? fault : 'Enter a language tag first'}
      onSend={adding.mutate}
      onClose={onClose}
    >
      <LanguageField
        label="Language"
        hint="A tag, for example de or pt-BR."
        fault={fault}
        required
        value={text}
        onChange={setText}
      />
      <p className="muted small">The translation begins with the saved texts of the template.</p>
    </FormDialog>
  );
}
