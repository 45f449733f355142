import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useApi, useRefusal } from '../../../api/api-context';
import { missingOf, type Problem, problemOf, warningOf } from '../../model/problems';
import type { Params, Parsed } from '../../model/samples';
import { type Draft, sourceOf, type TemplateType } from '../../model/template';

const PAUSE_MS = 400;
const NONE: readonly string[] = [];

/** The rendering of a draft with the sample data, and everything wrong with both. */
export function usePreview(draft: Draft, type: TemplateType, sample: { parsed: Parsed; params: Params; text: string }) {
  const api = useApi();
  const refusal = useRefusal(['document-rendering', 'query', 'preview']);
  const { params, parsed, text } = sample;
  const written = useMemo(() => ({ draft, params }), [draft, params]);
  // All that looks through the whole text does so once a moment after the last key.
  const settled = useSettled(written);
  const asked = useMemo(
    () => JSON.stringify({ params: JSON.stringify(settled.params), template: sourceOf(settled.draft, type) }),
    [settled, type],
  );
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: ['rendering', 'preview', asked],
    queryFn: ({ signal }) => api.rendering.preview({ input: JSON.parse(asked) as never }, RESULT, { signal }),
    placeholderData: keepPreviousData,
    enabled: refusal === undefined,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const result = useLast(error ? undefined : (data ?? undefined));
  const isCurrent = settled === written && !isFetching && !isPlaceholderData;
  const refused = useMemo(() => problemOf(error), [error]);
  const missing = result?.missingParams ?? NONE;
  const problems = useMemo(() => {
    const found: Problem[] = sampleProblems({ parsed, text });
    if (refused) return [refused, ...found];
    const ofMissing = missing.length > 0 ? missingOf(missing, settled.draft) : [];
    return [...found, ...(result?.warnings ?? []).map(warningOf), ...ofMissing];
  }, [settled, parsed, text, refused, result, missing]);
  return {
    refusal,
    result,
    problems,
    missing: refused ? NONE : missing,
    /** Errors that say nothing about the template, such as a server that is too busy. */
    failure: refused ? undefined : (error ?? undefined),
    isCurrent,
    isBroken: Boolean(refused),
    isUnchecked: refusal !== undefined || Boolean(error && !refused),
    retry: () => void refetch(),
  };
}

export type Preview = ReturnType<typeof usePreview>;

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

/** The value as it was when the last key was pressed a moment ago. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** The last value that was there. */
function useLast<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}
