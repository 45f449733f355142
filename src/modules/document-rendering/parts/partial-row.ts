import type { TemplatePartialModel } from '../../../generated/sqlite/models.js';
import type { TemplatePartial } from '../models/partial.model.js';
import { ContentType } from '../models/template.model.js';
import { toAuthor } from './named-row.js';

/** A partial as it is stored. */
export type PartialRow = TemplatePartialModel;

/** The columns that the partial shown to callers is made of. */
export type ShownPartialRow = Omit<PartialRow, 'tenantId' | 'nameHash' | 'revision'>;

/** Makes the partial that callers see from its row. */
export function toPartial({ id, name, contentType, body, author, createdAt, updatedAt }: ShownPartialRow): TemplatePartial {
  return { id, name, contentType: ContentType[contentType], body, author: toAuthor(author), createdAt, updatedAt };
}
