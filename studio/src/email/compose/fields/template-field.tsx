import { Combobox } from '@base-ui/react/combobox';
import { useEffect, useRef } from 'react';
import { useRefusal } from '../../../api/api-context';
import { useRead } from '../../../api/use-read';
import { CodeField } from '../../../templates/code/code-field';
import { Button, Field, Switch } from '../../../ui/controls';
import { ErrorNotice } from '../../../ui/states';
import { reasonOf } from '../../../ui/faults';
import { type Draft, faultOfParams, type Faults } from '../draft/draft';
import { paramsOf } from '../draft/params-of';
import { Suggestions } from '../../../ui/suggestions';
import styles from '../../email.module.css';

interface TemplateFieldProps {
  draft: Draft;
  onChange: (changes: Partial<Draft>) => void;
  faults: Faults;
}

const MOST_PAGES = 10;

/** A saved template of emails, and the values that it is rendered with. */
export function TemplateField({ draft: { templateName, params, isStrict }, onChange, faults }: TemplateFieldProps) {
  const refusal = useRefusal(['document-rendering', 'query', 'templates']);
  const paramsRefusal = useRefusal(['document-rendering', 'query', 'templateParams']);
  const templates = useRead({
    queryKey: ['email', 'templates'],
    read: async ({ rendering }, signal) => {
      const names: string[] = [];
      let nextToken: string | null | undefined;
      for (let page = 0; page < MOST_PAGES && nextToken !== null; page++) {
        const read = await rendering.templates({ nextToken }, { items: { name: true, type: true }, nextToken: true }, { signal });
        names.push(...read.items.flatMap(({ name, type }) => (name && type === 'email' ? [name] : [])));
        nextToken = read.nextToken;
      }
      return names.sort((one, other) => one.localeCompare(other));
    },
    enabled: !refusal,
  });
  const prefill = useRead({
    queryKey: ['email', 'template params', templateName],
    read: async ({ rendering }, signal) => paramsOf(await rendering.templateParams({ templateName }, undefined, { signal })),
    enabled: !paramsRefusal && templateName !== '',
  });
  const sample = useSample(refusal ? '' : templateName, params);
  const prefilled = useRef('');
  useEffect(() => {
    // Written values stay.
    const isOwn = params !== '{}' && params !== '' && params !== prefilled.current;
    if (prefill.data === undefined || isOwn || prefill.data === params) return;
    prefilled.current = prefill.data;
    onChange({ params: prefill.data });
    // oxlint-disable-next-line react/exhaustive-deps
  }, [prefill.data]);
  return (
    <>
      <Field label="Template" fault={faults.templateName} hint={hintOf(refusal, templates.data?.length)}>
        {(ids) =>
          refusal ? (
            <input
              {...ids}
              className="input"
              value={templateName}
              placeholder="Template name"
              onChange={({ target }) => onChange({ templateName: target.value })}
            />
          ) : (
            <Combobox.Root
              items={templates.data ?? []}
              value={templateName || null}
              onValueChange={(name) => onChange({ templateName: name ?? '' })}
            >
              <Combobox.Input {...ids} aria-label="Template" className="input" placeholder="Template name" />
              <Suggestions<string>
                keyOf={(name) => name}
                empty={templates.isPending ? 'Searching…' : 'No matching email templates'}
              >
                {(name) => <span className="truncate">{name}</span>}
              </Suggestions>
            </Combobox.Root>
          )
        }
      </Field>
      {templates.error && <ErrorNotice error={templates.error} tried="load templates" onRetry={() => void templates.refetch()} />}
      {sample && (
        <span className={styles.more}>
          <Button size="small" look="plain" onClick={() => onChange({ params: sample })}>
            Use sample data
          </Button>
        </span>
      )}
      <CodeField
        label="Data"
        language="json"
        fault={faults.params ?? faultOfParams(params)}
        hint={
          prefill.error
            ? `Couldn’t load the parameters: ${reasonOf(prefill.error)}`
            : 'A JSON object with the template’s parameters.'
        }
        rows={10}
        value={params}
        onChange={(text) => onChange({ params: text })}
      />
      <Switch
        label="Don’t send if a value is missing or invalid"
        checked={isStrict}
        onChange={(next) => onChange({ isStrict: next })}
      />
    </>
  );
}

/** Returns the sample data stored with a template, if it is not used already. */
function useSample(name: string, params: string): string | undefined {
  const { data } = useRead({
    queryKey: ['email', 'sample data', name],
    read: ({ rendering }, signal) =>
      rendering.templates({ filter: { name }, limit: 1 }, { items: { sampleParams: true } }, { signal }),
    enabled: name !== '',
  });
  const sample = data?.items[0]?.sampleParams;
  return sample && sample !== params ? sample : undefined;
}

function hintOf(refusal: string | undefined, count: number | undefined): string | undefined {
  if (refusal) return `${refusal}, so you can’t search templates. Enter the name.`;
  return count === 0 ? 'No email templates yet. Create one in Templates.' : undefined;
}
