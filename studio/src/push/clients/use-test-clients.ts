import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useApi } from '../../api/api-context';
import { type ClientSettings, TestClient } from './test-client';

export interface TestClients {
  clients: readonly TestClient[];
  add: (settings: ClientSettings) => void;
  remove: (client: TestClient) => void;
}

/** Lifetime of a token: longer than any test, and short afterwards. */
const TOKEN_SECONDS = 3_600;

/** Returns the simulated recipients. They end with the page. */
export function useTestClients(): TestClients {
  const { push } = useApi();
  const [clients, setClients] = useState<readonly TestClient[]>([]);
  const closeAll = useEffectEvent(() => {
    for (const client of clients) client.close();
  });
  const count = useRef(0);
  useEffect(() => () => closeAll(), []);
  const add = useCallback(
    (settings: ClientSettings) => {
      const { recipient, topic, confirm } = settings;
      const input = { recipient, ...(topic && { topic }), acknowledge: confirm !== 'socket', expiresIn: TOKEN_SECONDS };
      const register = async () => (await push.registerRecipient({ input })).connectionUri;
      const client = new TestClient(count.current++, settings, register);
      setClients((now) => [...now, client]);
    },
    [push],
  );
  const remove = useCallback((client: TestClient) => {
    client.close();
    setClients((now) => now.filter((one) => one !== client));
  }, []);
  return useMemo(() => ({ clients, add, remove }), [clients, add, remove]);
}
