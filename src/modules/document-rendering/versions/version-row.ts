import type { TemplateModel, TemplateVersionModel } from '../../../generated/sqlite/models.js';
import { uuidv7 } from '../../../common/ids/ids.js';
import { storedJson } from '../../../common/json/stored-json.js';
import { ContentType } from '../models/template.model.js';
import type { TemplateVersion } from '../models/template-version.model.js';
import { toAuthor } from '../parts/named-row.js';
import { type Parts, reachable } from '../parts/parts.js';

/** The columns that the version shown to callers is made of. */
export type ShownVersionRow = Omit<TemplateVersionModel, 'id' | 'tenantId' | 'templateId' | 'parts' | 'size'>;

/** The texts of a version that are not those of the template itself. */
type StoredParts = Pick<Parts, 'layouts' | 'partials' | 'translations'> & { parentText: string | null };

/** A template with the stylesheet that it has in the transaction of the save. */
type SavedTemplate = TemplateModel & { parentCss: { text: string | null } | null };

/** Makes the version that a save leaves: the template as it was saved, with the parts that it was checked with. */
export function versionOf(row: SavedTemplate, parts: Omit<Parts, 'template'>, createdAt: Date): TemplateVersionModel {
  const { tenantId, id: templateId, version, contentType, subject, body, css, parentCssId, layoutId, locale } = row;
  const { sampleParams, comment, author } = row;
  const parentText = row.parentCss?.text ?? null;
  const { layouts, translations } = parts;
  const bodies = [body, ...[...layouts, ...translations].map((one) => one.body!)];
  const partials = reachable(bodies, contentType, parts.partials).map((partial) => ({ ...partial, contentType }));
  const stored = JSON.stringify({ parentText, layouts, partials, translations } satisfies StoredParts);
  const texts = [subject, body, css, sampleParams, stored];
  return {
    id: uuidv7(),
    tenantId,
    templateId,
    version,
    contentType,
    subject,
    body,
    css,
    parentCssId,
    layoutId,
    locale,
    sampleParams,
    comment,
    author,
    parts: stored,
    size: texts.reduce((size, text) => size + (text?.length ?? 0), 0),
    createdAt,
  };
}

/** Returns the parts that a version was made of. */
export function partsOf(row: TemplateVersionModel, type: 'email' | 'document'): Parts {
  const { parentText, ...parts } = storedJson<StoredParts>(row.parts, 'parts');
  const { templateId, contentType, subject, body, css, layoutId, locale } = row;
  return { template: { id: templateId, type, contentType, subject, body, css, parentText, layoutId, locale }, ...parts };
}

/** Makes the version that callers see from its row. */
export function toVersion({ contentType, author, ...row }: ShownVersionRow): TemplateVersion {
  return { ...row, contentType: ContentType[contentType], author: toAuthor(author) };
}
