import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { type Draft, EMPTY, isUntouched } from './draft';

const KEY = ['email', 'draft'];

/** The mail that is being written. It waits in this tab while another page is open, and is gone with the key. */
export function useDraft(begun: Partial<Draft> | undefined) {
  const client = useQueryClient();
  const [draft, setDraft] = useState<Draft>(() => (begun ? { ...EMPTY, ...begun } : (client.getQueryData<Draft>(KEY) ?? EMPTY)));
  useEffect(() => {
    client.setQueryDefaults(KEY, { gcTime: Infinity });
    if (isUntouched(draft)) client.removeQueries({ queryKey: KEY });
    else client.setQueryData(KEY, draft);
  }, [client, draft]);
  const forget = useCallback(() => client.removeQueries({ queryKey: KEY }), [client]);
  const keep = useCallback(() => client.setQueryData(KEY, draft), [client, draft]);
  return { draft, setDraft, forget, keep };
}
