import { activityOf } from '../../../common/graphql/types/activity.js';
import { DAYS } from '../../../common/lists/periods.js';
import { DocumentLogSchema } from '../../../common/graphql/types/schemas.js';

export const LogActivity = activityOf(DocumentLogSchema, {
  name: 'LogActivity',
  what: 'records',
  kind: DAYS,
  period: 'Number of records on one day.',
  counts: { records: 'Records whose dateTime is on this day.' },
});
export type LogActivity = InstanceType<typeof LogActivity>;
