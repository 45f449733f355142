import { keepPreviousData } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useRefusal } from '../../../api/api-context';
import type { Api } from '../../../api/client';
import { useRead } from '../../../api/use-read';
import { PlatformError } from '../../../../../clients/js/src/errors';
import { missingOf, type Problem, problemOf, warningOf } from '../../model/problems';
import type { Params, Parsed } from '../../model/samples';
import { textsIn } from '../../model/languages';
import { type Draft, type Saved, sourceOf } from '../../model/template';

const PAUSE_MS = 400;
const NONE: readonly string[] = [];

/** Language and time zone of a rendering. Empty ones are left out. */
export interface Reader {
  /** A canonical language tag. */
  locale: string;
  timeZone: string;
}

/** Equal texts are rendered once. */
const ASKED_ONCE = { placeholderData: keepPreviousData, staleTime: Infinity, gcTime: 0, refetchOnWindowFocus: false };

/** Renders a draft with the sample data, and lists all problems. */
export function usePreview(
  draft: Draft,
  base: Saved,
  sample: { parsed: Parsed; params: Params; text: string },
  { locale, timeZone }: Reader,
) {
  const isStored = isRenderedByName(base);
  const refusal = useRefusal(['document-rendering', 'query', isStored ? 'render' : 'preview']);
  const { params, parsed, text } = sample;
  const partial = base.kind === 'partial' ? base.name : undefined;
  const found = useMemo(() => textsIn(base, draft, locale), [base, draft, locale]);
  const written = useMemo(() => ({ texts: found.texts, params, locale, timeZone }), [found, params, locale, timeZone]);
  // Work on the whole text runs a moment after the last key.
  const settled = useSettled(written);
  const asked = useMemo(() => JSON.stringify(inputOf(settled, base)), [settled, base]);
  const { data, error, isFetching, isPlaceholderData, refetch } = useRead({
    queryKey: ['rendering', 'preview', asked],
    read: (api, signal) => read(api, isStored, asked, signal),
    enabled: refusal === undefined,
    ...ASKED_ONCE,
  });
  const result = useLast(error ? undefined : (data ?? undefined));
  const isCurrent = settled === written && !isFetching && !isPlaceholderData;
  const faultOfReader = readerFault(error);
  const refused = useMemo(() => (faultOfReader ? undefined : problemOf(error, partial)), [error, faultOfReader, partial]);
  const missing = result?.missingParams ?? NONE;
  const problems = useMemo(() => {
    const found: Problem[] = sampleProblems({ parsed, text });
    if (refused) return [refused, ...found];
    const ofMissing = missing.length > 0 ? missingOf(missing, settled.texts) : [];
    return [...found, ...(result?.warnings ?? []).map((one) => warningOf(one, partial)), ...ofMissing];
  }, [settled, parsed, text, refused, result, missing, partial]);
  return {
    refusal,
    result,
    problems,
    missing: refused ? NONE : missing,
    /** Errors unrelated to the template, such as a busy server. */
    failure: refused || faultOfReader ? undefined : (error ?? undefined),
    faultOfReader,
    found,
    /** Input of the rendering, as JSON. */
    asked,
    isCurrent,
    isBroken: Boolean(refused ?? faultOfReader),
    isUnchecked: refusal !== undefined || Boolean(error && !refused),
    retry: () => void refetch(),
  };
}

export type Preview = ReturnType<typeof usePreview>;

/**
 * A partial is rendered by a template that includes it. Language `en` is used for one without a language: patterns stay English there, as
 * they do when it is rendered.
 */
function inputOf({ texts, params, locale, timeZone }: Reader & { texts: Draft; params: Params }, base: Saved) {
  const { kind, name, type } = base;
  const reader = { locale: locale || null, timeZone: timeZone || null };
  if (isRenderedByName(base)) return { templateName: name, params: JSON.stringify(params), ...reader };
  const source = sourceOf(texts, type);
  const isPartial = kind === 'partial';
  return {
    params: JSON.stringify(params),
    template: isPartial
      ? { ...source, body: `{% include "${name}" %}` }
      : { ...source, locale: texts.locale === 'en' ? null : texts.locale || null },
    ...(isPartial && { partials: [{ name, body: texts.body }] }),
    ...reader,
  };
}

function read({ rendering }: Api, isStored: boolean, asked: string, signal: AbortSignal) {
  const input = JSON.parse(asked) as never;
  return isStored ? rendering.render({ input }, RESULT, { signal }) : rendering.preview({ input }, RESULT, { signal });
}

/** Returns whether the saved template is rendered: an inherited one is composed of parts that a tenant cannot use in its own. */
const isRenderedByName = ({ isInherited, kind }: Saved) => isInherited && kind !== 'partial';

/** Returns the fault of the chosen language or time zone. */
function readerFault(error: unknown): string | undefined {
  const field = error instanceof PlatformError ? error.field : undefined;
  return field === 'input.locale' || field === 'input.timeZone' ? (error as Error).message : undefined;
}

const RESULT = {
  body: true,
  contentType: true,
  subject: true,
  text: true,
  missingParams: true,
  warnings: { field: true, partialName: true, layoutName: true, line: true, column: true, path: true, reason: true },
} as const;

function sampleProblems({ parsed, text }: { parsed: Parsed; text: string }): Problem[] {
  if ('params' in parsed) return [];
  const before = text.slice(0, parsed.at).split('\n');
  return [{ place: 'params', severity: 'error', line: before.length, column: before.at(-1)!.length + 1, reason: parsed.reason }];
}

/** Returns the value as it was a moment after the last key. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Returns the last defined value. */
function useLast<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}
