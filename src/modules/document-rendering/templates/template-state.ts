import { badInput } from '../../../common/base/app-error.js';
import { isId } from '../../../common/base/ids.js';
import { unknownLayout, unknownParent } from './composer.service.js';
import type { TemplateSource } from '../template-language/template.js';

const STYLES = ['css', 'parentCssId'] as const;

/** Fields of a template that depend on each other. */
export interface TemplateState extends Pick<TemplateSource, 'type' | 'contentType' | 'subject' | 'body'> {
  css: string | null;
  parentCssId: string | null;
  layoutId: string | null;
  locale: string | null;
  sampleParams: string | null;
}

/** Change of these fields. Absent fields are unchanged. */
export interface StateChange extends Pick<TemplateState, 'contentType' | 'body'> {
  subject?: string | null | undefined;
  css?: string | null | undefined;
  parentCssId?: string | null | undefined;
  layoutId?: string | null | undefined;
  locale?: string | null | undefined;
  sampleParams?: string | null | undefined;
}

/** State before creation. */
export const NO_STATE = {
  subject: null,
  css: null,
  parentCssId: null,
  layoutId: null,
  locale: null,
  sampleParams: null,
} as const;

/**
 * Returns the state after a change. Only emails have a subject, and only html has stylesheets.
 * @throws BAD_USER_INPUT with the caller's field, and how to resolve a conflict with a stored field; NOT_FOUND for a parent id over
 * 2,704 bytes, on which PostgreSQL would fail
 */
export function stateAfter(
  change: StateChange,
  before: Omit<TemplateState, 'contentType' | 'body'>,
  fieldPrefix: string,
): TemplateState {
  const { contentType, body } = change;
  const after = {
    type: before.type,
    contentType,
    body,
    subject: either(change.subject, before.subject),
    css: either(change.css, before.css),
    parentCssId: either(change.parentCssId, before.parentCssId),
    layoutId: either(change.layoutId, before.layoutId),
    locale: either(change.locale, before.locale),
    sampleParams: either(change.sampleParams, before.sampleParams),
  };
  if (after.type === 'document' && after.subject !== null) {
    throw badInput(`${fieldPrefix}.subject`, 'must be omitted for a document; only emails have a subject');
  }
  if (contentType === 'plain') checkUnstyled(after, change, fieldPrefix);
  if (typeof change.parentCssId === 'string' && !isId(change.parentCssId)) {
    throw unknownParent(change.parentCssId, fieldPrefix);
  }
  if (typeof change.layoutId === 'string' && !isId(change.layoutId)) throw unknownLayout(change.layoutId, fieldPrefix);
  return after;
}

/** Returns true if a template uses parts, or can be a layout. */
export function isComposed({ layoutId, body }: Pick<TemplateState, 'layoutId' | 'body'>): boolean {
  return layoutId !== null || /\{%-?\s*(?:include|block)\b/.test(body);
}

function checkUnstyled(after: TemplateState, change: StateChange, fieldPrefix: string): void {
  const styled = STYLES.filter((field) => after[field] !== null);
  const wrong = styled.find((field) => typeof change[field] === 'string');
  if (wrong) throw badInput(`${fieldPrefix}.${wrong}`, 'must be omitted for a plain template; only html has stylesheets');
  if (styled.length > 0) {
    const stored = styled.join(' and ');
    throw badInput(`${fieldPrefix}.contentType`, `cannot be plain while the template has ${stored}; set ${stored} to null too`);
  }
}

function either<T>(now: T | undefined, before: T): T {
  return now === undefined ? before : now;
}
