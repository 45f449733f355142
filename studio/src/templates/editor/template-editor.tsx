import { PlusIcon } from '@radix-ui/react-icons';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { useCommands } from '../../shell/commands';
import { useMedia } from '../../ui/use-layout';
import { LeaveGuard } from '../leave-guard';
import { firstOf, type Problem } from '../model/problems';
import type { Saved } from '../model/template';
import { TabRow } from '../tab-row';
import { EditorDialogs, type OpenDialog } from './editor-dialogs';
import { EditorHead } from './editor-head';
import { EditorNotices } from './editor-notices';
import { ProblemList } from './panes/problem-list';
import { PreviewPane } from './panes/preview-pane';
import { SamplePane } from './panes/sample-pane';
import { type Going, SourcePane, type SourceTab } from './panes/source-pane';
import { useActions } from './use-actions';
import { forgetDraft, useEditing } from './work/use-editing';
import { type Reader, usePreview } from './work/use-preview';
import { useSamples } from './work/use-samples';
import { useSaveKey, useSaving } from './work/use-saving';
import { Button } from '../../ui/controls';
import { KINDS } from '../model/kinds';
import { languageName } from '../model/languages';
import { useRefusal } from '../../api/api-context';
import { useRead } from '../../api/use-read';
import type { KnownParam } from '../code/completion';
import { type Params, pathsIn } from '../model/samples';
import styles from '../templates.module.css';

type Pane = 'template' | 'sample' | 'preview';

/** Page of a template, a translation or a partial: its texts, its sample data and the result. */
export function TemplateEditor({ saved }: { saved: Saved }) {
  const editing = useEditing(saved);
  const { draft, base, isDirty, change } = editing;
  const sample = useSamples(saved);
  const [reader, setReader] = useState<Reader>({ locale: saved.original ? saved.locale : '', timeZone: '' });
  const preview = usePreview(draft, base, sample, reader);
  const [isTouched, setTouched] = useState(false);
  const params = useKnownParams(base.name, sample.params, isTouched);
  const [tab, setTab] = useState<SourceTab>('body');
  const [pane, setPane] = useState<Pane>('template');
  const [going, setGoing] = useState<Going>();
  const [open, setOpen] = useState<OpenDialog>();
  const go = ({ place, line, column }: Problem) => {
    if (place === 'params') setPane('sample');
    else {
      setPane('template');
      setTab(place === 'css' ? 'css' : place === 'body' || place === 'subject' ? 'body' : 'details');
    }
    setGoing({ place, line: line ?? 1, column: column ?? 1 });
  };
  const saving = useSaving(editing, go);
  const isNarrow = useMedia('(max-width: 900px)');
  const discard = () => {
    forgetDraft(saved.href);
    editing.adopt(saved);
    saving.clearError();
  };
  const actions = useActions({ draft, base, isDirty, sampleText: sample.text, onOpen: setOpen, onDiscard: discard });
  const save = () => void saving.save();
  useSaveKey(save);
  useCommands(
    useMemo(
      () => actions.commands.map(({ word, run }) => ({ id: `template ${word}`, group: base.name, word, run })),
      [actions.commands, base.name],
    ),
  );
  const { problems, count } = useProblems(saving.fault, preview.problems);
  const source = (
    <>
      <SourcePane
        draft={draft}
        base={base}
        onChange={change}
        problems={problems}
        params={params}
        tab={tab}
        onTab={setTab}
        going={going}
        isReadOnly={saving.refusal !== undefined}
        onFocus={() => setTouched(true)}
      />
      <ProblemList problems={problems} count={count} isCurrent={preview.isCurrent} isUnchecked={preview.isUnchecked} onGo={go} />
    </>
  );
  const samples = <SamplePane editing={editing} sample={sample} missing={preview.missing} problems={problems} going={going} />;
  const shown = <PreviewPane preview={preview} base={base} reader={reader} onReader={setReader} />;
  return (
    <div className={`page ${styles.editorPage}`}>
      <EditorHead
        base={base}
        name={draft.name}
        isDirty={isDirty}
        isBusy={saving.isBusy}
        saveRefusal={saving.refusal}
        sendRefusal={actions.sendRefusal}
        onSave={save}
        onSend={() => setOpen('send')}
        entries={actions.entries}
      />
      <Languages base={base} onAdd={() => setOpen('language')} />
      <EditorNotices editing={editing} saving={saving} onGo={go} onCompare={() => setOpen('compare')} onDiscard={discard} />
      {isNarrow ? (
        <TabRow<Pane>
          label="Editor"
          value={pane}
          onChange={setPane}
          tabs={[
            { value: 'template', word: 'Template', panel: <div className={styles.editorSide}>{source}</div> },
            { value: 'sample', word: 'Sample data', panel: samples },
            { value: 'preview', word: 'Preview', panel: shown },
          ]}
        />
      ) : (
        <div className={styles.editorSides}>
          <div className={styles.editorSide}>
            {source}
            {samples}
          </div>
          <div className={styles.editorShown}>{shown}</div>
        </div>
      )}
      <EditorDialogs
        open={open}
        onOpen={setOpen}
        editing={editing}
        saving={saving}
        preview={preview}
        params={JSON.stringify(sample.params)}
        reader={reader}
      />
      <LeaveGuard name={base.name} isDirty={isDirty} href={`/templates${saved.href}`} isKept onDiscard={discard} />
    </div>
  );
}

/** Problems of the preview, and the one that refused the last save. */
function useProblems(fault: Problem | undefined, found: readonly Problem[]): { problems: readonly Problem[]; count: number } {
  return useMemo(() => {
    const isShown = fault && !found.some(({ place, reason }) => place === fault.place && reason === fault.reason);
    const all = isShown ? [fault, ...found] : found;
    return { problems: firstOf(all), count: all.length };
  }, [fault, found]);
}

/** Languages of a template, each with a page. Empty for one without translations. */
function Languages({ base, onAdd }: { base: Saved; onAdd: () => void }) {
  const own = base.original ?? base;
  if (base.kind === 'partial' || own.translations.length === 0) return null;
  const pages = [own.locale, ...own.translations.map(({ locale }) => locale)].map((locale, index) => ({
    locale,
    href: index === 0 ? own.href : `${own.href}/${locale}`,
  }));
  return (
    <nav className={styles.languages} aria-label="Languages">
      {pages.map(({ locale, href }) => (
        <Link
          key={href}
          href={href}
          className={href === base.href ? 'chip active' : 'chip'}
          {...(href === base.href && { 'aria-current': 'page' as const })}
        >
          {languageName(locale)}
        </Link>
      ))}
      {!base.isInherited && (
        <Button size="small" look="plain" right={KINDS.translation.saveRight} onClick={onAdd}>
          <PlusIcon aria-hidden />
          Add language
        </Button>
      )}
    </nav>
  );
}

/** Number of other templates whose parameters are read. */
const OTHERS = 8;

/** Returns parameter suggestions: from the sample data, the saved template, and other saved ones. */
function useKnownParams(name: string, params: Params, isWanted: boolean): readonly KnownParam[] {
  const refusal = useRefusal(['document-rendering', 'query', 'templateParams'], ['document-rendering', 'query', 'templates']);
  const { data } = useRead({
    queryKey: ['rendering', 'known-params', name],
    enabled: isWanted && refusal === undefined,
    staleTime: Infinity,
    read: async (api, signal): Promise<KnownParam[]> => {
      const { items } = await api.rendering.templates({ limit: OTHERS }, { items: { name: true }, nextToken: true }, { signal });
      const names = [...new Set([name, ...items.map((item) => item.name ?? '')])].slice(0, OTHERS);
      const read = async (templateName: string) => {
        const found = await api.rendering.templateParams({ templateName }, undefined, { signal });
        return found.map((one) => ({ name: one, seen: templateName === name ? 'as saved' : `in ${templateName}` }));
      };
      const found = await Promise.allSettled(names.map(read));
      signal.throwIfAborted();
      return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    },
  });
  return useMemo(
    () => [...pathsIn(params).map((path) => ({ name: path, seen: 'sample data' })), ...(data ?? [])],
    [params, data],
  );
}
